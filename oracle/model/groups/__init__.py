"""Groups and segments: the GroupId, MsgSeqNumber and Offset of puts (`put_groups`) and gets (`get_groups`).

`splitting` divides a message that is too long into segments, when it may be divided.
"""

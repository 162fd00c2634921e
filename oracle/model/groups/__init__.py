"""Groups and segments: which GroupId, MsgSeqNumber and Offset puts use (`put_groups`) and gets want (`get_groups`).

`splitting` divides a message that is too long into segments, when it may be divided.
"""

"""The audit: reads what an MQ system logged, and says which rules the log shows broken, on one of two engines.

    $ mq-audit run capture.pcap definitions.mqsc --out report

`audit` is the whole way in one function: read the inputs, prepare the log, run the checks, judge every rule. The
command begins in `start`, which handles signals before anything else is imported.
"""

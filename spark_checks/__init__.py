"""The audit: it reads logs of an MQ system and reports the rules that they show to be broken.

    $ mq-audit run capture.pcap definitions.mqsc --out report

`audit` does all of this in one function: it reads the inputs, prepares the log, runs the checks and judges every rule,
on one of two engines. The command begins in `start`, which handles signals before anything else is imported.
"""

"""The data that MQGET returns: conversion, message properties (`properties`), the MQMDE (`extension`).

Each built-in format has its layout in `parts`, or in `commands` for the programmable command format.
"""

*** Settings ***
Documentation       What users of robotframework-ibmmq do: put, browse, get, clear, on two queue managers at once.
Library             IBMMQLibrary
Suite Setup         Connect To Both
Suite Teardown      Disconnect All MQ Connections
Test Teardown       Clear MQ Queue    queue=ORDERS

*** Keywords ***
Connect To Both
    Connect MQ    queue_manager=QM1    hostname=localhost    port=1414    channel=APP.SVRCONN    username=app
    ...    password=secret
    Connect MQ    queue_manager=QM2    hostname=localhost    port=1415    channel=APP.SVRCONN    alias=other

*** Test Cases ***
What Was Put Is Got In Its Order
    Put MQ Message    queue=ORDERS    message=one
    Put MQ Message    queue=ORDERS    message=zwölf
    ${messages}    Get MQ Messages    queue=ORDERS    message_amount=2
    Should Be Equal    ${messages}[0]    one
    Should Be Equal    ${messages}[1]    zwölf

Browsing Leaves The Messages
    Put MQ Message    queue=ORDERS    message=one
    Put MQ Message    queue=ORDERS    message=two
    ${seen}    Browse MQ Messages    queue=ORDERS    max_messages=5    timeout=1s
    Length Should Be    ${seen}    2
    ${messages}    Get MQ Messages    queue=ORDERS    message_amount=2
    Should Be Equal    ${messages}    ${seen}

Clearing Takes All
    Put MQ Message    queue=ORDERS    message=one
    Clear MQ Queue    queue=ORDERS
    ${seen}    Browse MQ Messages    queue=ORDERS    timeout=0s
    Should Be Empty    ${seen}

Fewer Messages Than Asked For Fail
    Put MQ Message    queue=ORDERS    message=one
    Run Keyword And Expect Error    Expected 2 message(s), but received 1.
    ...    Get MQ Messages    queue=ORDERS    message_amount=2    timeout=60

Queue Managers Are Apart
    Put MQ Message    queue=ORDERS    message=there    alias=other
    ${here}    Browse MQ Messages    queue=ORDERS    timeout=0s
    Should Be Empty    ${here}
    ${there}    Get MQ Messages    queue=ORDERS    alias=other
    Should Be Equal    ${there}[0]    there

A Wrong Password Is Refused
    Run Keyword And Expect Error    *2035*
    ...    Connect MQ    queue_manager=QM1    hostname=localhost    port=1414    channel=APP.SVRCONN    username=app
    ...    password=guess    alias=wrong

An Unknown Queue Manager Is Named
    Run Keyword And Expect Error    *2058*
    ...    Connect MQ    queue_manager=QM9    hostname=localhost    port=1414    channel=APP.SVRCONN    alias=wrong

/* A library with the name and the symbols of IBM MQ's client library libmqm_r. It forwards every call of the MQI to one
   callback, which the oracle registers from Python: the number of the verb, and its parameters as 64-bit numbers.
   Without a callback MQCONN finds no queue manager (2059), and no other call has a connection (2018). */
#include <stddef.h>
#include <stdint.h>

#define EXPORT __attribute__((visibility("default")))

typedef int32_t L;  /* MQLONG, MQHCONN, MQHOBJ */
typedef int64_t H;  /* MQHMSG */
typedef void *P;
typedef void (*Callback)(int32_t verb, int64_t *parameters);

static Callback volatile callback = NULL;

EXPORT void mqoracle_register(Callback function) { callback = function; }

enum { CONN, CONNX, DISC, OPEN, CLOSE, PUT, PUT1, GET, BEGIN, CMIT, BACK, INQ, SET, SUB, SUBRQ, STAT, CB, CTL,
       CRTMH, DLTMH, SETMP, INQMP, DLTMP, BUFMH, MHBUF };

static void call(int32_t verb, int64_t *parameters, L *comp_code, L *reason)
{
    Callback function = callback;
    *comp_code = 2;
    *reason = verb == CONN || verb == CONNX ? 2059 : 2018;
    if (function != NULL)
        function(verb, parameters);
}

#define N(x) ((int64_t)(x))
#define A(x) ((int64_t)(intptr_t)(x))
#define FORWARD(verb, ...) \
    int64_t all[] = {__VA_ARGS__, A(c), A(r)}; \
    call(verb, all, c, r)

EXPORT void MQCONN(P name, L *hc, L *c, L *r) { FORWARD(CONN, A(name), A(hc)); }
EXPORT void MQCONNX(P name, P cno, L *hc, L *c, L *r) { FORWARD(CONNX, A(name), A(cno), A(hc)); }
EXPORT void MQDISC(L *hc, L *c, L *r) { FORWARD(DISC, A(hc)); }
EXPORT void MQOPEN(L hc, P od, L options, L *ho, L *c, L *r) { FORWARD(OPEN, N(hc), A(od), N(options), A(ho)); }
EXPORT void MQCLOSE(L hc, L *ho, L options, L *c, L *r) { FORWARD(CLOSE, N(hc), A(ho), N(options)); }
EXPORT void MQPUT(L hc, L ho, P md, P pmo, L n, P data, L *c, L *r)
{ FORWARD(PUT, N(hc), N(ho), A(md), A(pmo), N(n), A(data)); }
EXPORT void MQPUT1(L hc, P od, P md, P pmo, L n, P data, L *c, L *r)
{ FORWARD(PUT1, N(hc), A(od), A(md), A(pmo), N(n), A(data)); }
EXPORT void MQGET(L hc, L ho, P md, P gmo, L n, P data, L *length, L *c, L *r)
{ FORWARD(GET, N(hc), N(ho), A(md), A(gmo), N(n), A(data), A(length)); }
EXPORT void MQBEGIN(L hc, P bo, L *c, L *r) { FORWARD(BEGIN, N(hc), A(bo)); }
EXPORT void MQCMIT(L hc, L *c, L *r) { FORWARD(CMIT, N(hc)); }
EXPORT void MQBACK(L hc, L *c, L *r) { FORWARD(BACK, N(hc)); }
EXPORT void MQINQ(L hc, L ho, L n, P selectors, L ni, P numbers, L nc, P texts, L *c, L *r)
{ FORWARD(INQ, N(hc), N(ho), N(n), A(selectors), N(ni), A(numbers), N(nc), A(texts)); }
EXPORT void MQSET(L hc, L ho, L n, P selectors, L ni, P numbers, L nc, P texts, L *c, L *r)
{ FORWARD(SET, N(hc), N(ho), N(n), A(selectors), N(ni), A(numbers), N(nc), A(texts)); }
EXPORT void MQSUB(L hc, P sd, L *ho, L *hs, L *c, L *r) { FORWARD(SUB, N(hc), A(sd), A(ho), A(hs)); }
EXPORT void MQSUBRQ(L hc, L hs, L action, P sro, L *c, L *r) { FORWARD(SUBRQ, N(hc), N(hs), N(action), A(sro)); }
EXPORT void MQSTAT(L hc, L type, P sts, L *c, L *r) { FORWARD(STAT, N(hc), N(type), A(sts)); }
EXPORT void MQCB(L hc, L op, P cbd, L ho, P md, P gmo, L *c, L *r)
{ FORWARD(CB, N(hc), N(op), A(cbd), N(ho), A(md), A(gmo)); }
EXPORT void MQCTL(L hc, L op, P ctlo, L *c, L *r) { FORWARD(CTL, N(hc), N(op), A(ctlo)); }
EXPORT void MQCRTMH(L hc, P cmho, H *hm, L *c, L *r) { FORWARD(CRTMH, N(hc), A(cmho), A(hm)); }
EXPORT void MQDLTMH(L hc, H *hm, P dmho, L *c, L *r) { FORWARD(DLTMH, N(hc), A(hm), A(dmho)); }
EXPORT void MQSETMP(L hc, H hm, P smpo, P name, P pd, L type, L n, P value, L *c, L *r)
{ FORWARD(SETMP, N(hc), N(hm), A(smpo), A(name), A(pd), N(type), N(n), A(value)); }
EXPORT void MQINQMP(L hc, H hm, P impo, P name, P pd, L *type, L n, P value, L *length, L *c, L *r)
{ FORWARD(INQMP, N(hc), N(hm), A(impo), A(name), A(pd), A(type), N(n), A(value), A(length)); }
EXPORT void MQDLTMP(L hc, H hm, P dmpo, P name, L *c, L *r) { FORWARD(DLTMP, N(hc), N(hm), A(dmpo), A(name)); }
EXPORT void MQBUFMH(L hc, H hm, P bmho, P md, L n, P data, L *length, L *c, L *r)
{ FORWARD(BUFMH, N(hc), N(hm), A(bmho), A(md), N(n), A(data), A(length)); }
EXPORT void MQMHBUF(L hc, H hm, P mhbo, P name, P md, L n, P data, L *length, L *c, L *r)
{ FORWARD(MHBUF, N(hc), N(hm), A(mhbo), A(name), A(md), N(n), A(data), A(length)); }

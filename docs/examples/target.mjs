// A small queue manager in JavaScript that speaks target protocol 1: an example of an adapter, complete but modest.
// It claims the features that `hello` names below, and is judged on those alone.
//
//     mq-conform doctor --target "node target.mjs"
//     mq-conform run --target "node target.mjs"
import { createInterface } from "node:readline";

const OK = 0, WARNING = 1, FAILED = 2;
const INPUT = [0x1, 0x2, 0x4], EXCLUSIVE = 0x4, BROWSE = 0x8, OUTPUT = 0x10, INQUIRE = 0x20, SET = 0x40;
const BINDING = [0x4000, 0x8000, 0x400000], READ_AHEAD = [0x80000, 0x100000], ON_OUTPUT = 0x200f00;
const RESPONSE = [0x10000, 0x20000], CONTEXT = [0x20, 0x100, 0x200, 0x400, 0x800, 0x4000];
const NULL_ID = "0".repeat(48);
const DEFAULTS = {
  MsgDeliverySequence: "PRIORITY", DefPriority: 0, DefPersistence: 0, MaxQDepth: 5000, MaxMsgLength: 4194304,
  InhibitGet: 0, InhibitPut: 0, Shareability: 1, Usage: "NORMAL", IndexType: "NONE", DefinitionType: "PREDEFINED",
};
const MQMD = {
  Version: 2, Report: 0, MsgType: 8, Expiry: -1, Feedback: 0, Encoding: 546, CodedCharSetId: 0, Format: "", Priority: -1,
  Persistence: 2, MsgId: NULL_ID, CorrelId: NULL_ID, BackoutCount: 0, ReplyToQ: "", ReplyToQMgr: "", UserIdentifier: "",
  AccountingToken: "0".repeat(64), ApplIdentityData: "", PutApplType: 0, PutApplName: "", PutDate: "", PutTime: "",
  ApplOriginData: "", GroupId: NULL_ID, MsgSeqNumber: 1, Offset: 0, MsgFlags: 0, OriginalLength: -1,
};
const VERSION_2 = ["GroupId", "MsgSeqNumber", "Offset", "MsgFlags", "OriginalLength"];

let queues, connections, now, made, opened, qmgr; // the state: everything that `setup` makes anew

// A failure is thrown, and becomes a reply with CompCode 2.
class Failure extends Error {}
const fail = (reason) => { throw Object.assign(new Failure(), { reason }); };

function setup(request) {
  queues = new Map(), connections = new Map(), now = 0, made = 0, opened = 0;
  qmgr = { CodedCharSetId: 1208, MaxMsgLength: 4194304, MaxPriority: 9, ...request.qmgr };
  for (const queue of request.queues ?? []) {
    const type = queue.type ?? "local";
    queues.set(queue.name, type === "local" ? { type, ...DEFAULTS, ...queue, messages: [] } : { ...queue, type });
  }
  return { ok: true };
}

// The base queue behind a name: an alias stands for its target, which must be no alias.
function resolve(name) {
  const found = queues.get(name) ?? fail(2085);
  if (found.type !== "alias") return found;
  const base = queues.get(found.target) ?? fail(2082);
  return base.type === "alias" ? fail(2001) : base;
}

const handles = (queue) => [...connections.values()].flatMap((own) => [...own.values()]).filter((each) => each.queue === queue);
const bits = (options, mask) => mask.filter((bit) => options & bit).length;

function open(request) {
  const own = connected(request), options = request.Options;
  const access = options & (0x7 | BROWSE | OUTPUT | INQUIRE | SET | 0x40c000);
  if (!access || options & ~0x7fffff || [INPUT, BINDING, READ_AHEAD].some((set) => bits(options, set) > 1)) fail(2046);
  const needs = [[0x80, 0x7], [ON_OUTPUT, OUTPUT], [0x20000, BROWSE]]; // SAVE_ALL_CONTEXT needs input, CO_OP browse
  if (needs.some(([option, needed]) => options & option && !(options & needed))) fail(2046);
  const queue = resolve(request.ObjectName), readers = handles(queue).filter((each) => bits(each.options, INPUT));
  const exclusive = Boolean(options & EXCLUSIVE || !queue.Shareability);
  if (bits(options, INPUT) && readers.length && (exclusive || readers.some((each) => each.exclusive))) fail(2042);
  opened += 1;
  own.set(opened, { queue, options, exclusive, name: request.ObjectName });
  return { Hobj: opened, ObjectName: request.ObjectName };
}

const connected = ({ conn }) => connections.get(conn) ?? fail(2018);
const handleOf = (request) => connected(request).get(request.Hobj) ?? fail(2019);

function close(request) {
  handleOf(request);
  if (request.Options) fail(request.Options === 1 || request.Options === 2 ? 2045 : 2046); // no dynamic queues here
  connections.get(request.conn).delete(request.Hobj);
  return {};
}

const newId = () => "4a53" + (made += 1).toString(16).padStart(44, "0");

function dateAndTime() {
  const text = new Date(Date.UTC(2024, 0, 1) + now * 100).toISOString().replace(/[-:T.Z]/g, "");
  return { PutDate: text.slice(0, 8), PutTime: text.slice(8, 16) };
}

function checkPut({ MQMD: given, MQPMO: pmo = {} }, notAllowed) {
  const options = pmo.Options ?? 0, md = { ...MQMD, ...given };
  if (![1, 2, 3].includes(pmo.Version ?? 3)) fail(2173);
  if (![1, 2].includes(md.Version)) fail(2026);
  if (options & (notAllowed | ~0x1caffffe) || [CONTEXT, RESPONSE, [0x2, 0x4]].some((set) => bits(options, set) > 1)) fail(2046);
  if (![1, 2, 4, 8].includes(md.MsgType) && !(md.MsgType >= 65536 && md.MsgType <= 999999999)) fail(2029);
  if (md.MsgType === 1 && !md.ReplyToQ) fail(2027);
  if (md.Version > 1 && md.MsgFlags & 0xfe0) fail(2249);
  if (md.Priority < -1) fail(2050);
}

function put(request, queue, name) {
  const md = { ...MQMD, ...request.MQMD }, data = request.data ?? "", length = data.length / 2;
  const definition = { ...queue, ...queues.get(name) }, pmo = request.MQPMO?.Options ?? 0;
  if (definition.InhibitPut || queue.InhibitPut) fail(2051);
  if (length > queue.MaxMsgLength) fail(2030);
  if (length > qmgr.MaxMsgLength) fail(2031);
  if (queue.messages.length >= queue.MaxQDepth) fail(2053);
  made += 1;
  if (md.Priority === -1) md.Priority = definition.DefPriority;
  if (md.Persistence === 2) md.Persistence = definition.DefPersistence;
  if (md.MsgId === NULL_ID || pmo & 0x40) md.MsgId = newId();
  if (pmo & 0x80) md.CorrelId = newId();
  for (const member of md.Version === 1 ? VERSION_2 : []) md[member] = MQMD[member];
  Object.assign(md, dateAndTime(), { GroupId: NULL_ID, MsgSeqNumber: 1, Offset: 0 }); // a message in no group
  const stored = { ...md, Version: 2, BackoutCount: 0, OriginalLength: -1 };
  stored.CodedCharSetId ||= qmgr.CodedCharSetId;
  const rank = queue.MsgDeliverySequence === "FIFO" ? queue.DefPriority : Math.min(md.Priority, qmgr.MaxPriority);
  const place = queue.messages.findIndex((each) => each.rank < rank), token = made.toString(16).padStart(32, "0");
  queue.messages.splice(place < 0 ? queue.messages.length : place, 0, { md: stored, data, rank, token });
  const warning = md.Priority > qmgr.MaxPriority ? { CompCode: WARNING, Reason: 2049 } : {};
  return { ...warning, MQMD: md, MQPMO: { ResolvedQName: queue.name } };
}

function get(request) {
  const handle = handleOf(request), { queue } = handle, wanted = { ...MQMD, ...request.MQMD };
  const gmo = { Version: 4, Options: 0, MatchOptions: 3, ...request.MQGMO };
  if (![1, 2, 3, 4].includes(gmo.Version)) fail(2186);
  if (![1, 2].includes(wanted.Version)) fail(2026);
  if (request.BufferLength < 0) fail(2005);
  if (gmo.Options & ~0x1ff7ffff || bits(gmo.Options, [0x2, 0x4, 0x1000]) > 1) fail(2046);
  if (gmo.Options & ~0x2044) throw new Error("not implemented, and not claimed: browsing, waiting, units of work");
  if (!bits(handle.options, INPUT)) fail(2037);
  if (queues.get(handle.name).InhibitGet || queue.InhibitGet) fail(2016);
  const matching = gmo.Version === 1 ? 3 : gmo.MatchOptions;
  const names = ["MsgId", "CorrelId"].filter((name, index) => matching & (1 << index) && wanted[name] !== NULL_ID);
  const place = queue.messages.findIndex(({ md }) => names.every((name) => wanted[name] === md[name]));
  if (place < 0) fail(2033);
  const { md, data, token } = queue.messages[place], length = data.length / 2, fits = length <= request.BufferLength;
  const accepted = fits || gmo.Options & 0x40;
  if (accepted) queue.messages.splice(place, 1);
  const outputs = { ...md, Version: wanted.Version };
  if (wanted.Version === 1) for (const name of VERSION_2) delete outputs[name];
  const returned = data.slice(0, 2 * request.BufferLength);
  const gmoOut = { ResolvedQName: queue.name };
  if (gmo.Version > 1) Object.assign(gmoOut, { GroupStatus: " ", SegmentStatus: " ", Segmentation: " " });
  if (gmo.Version > 2) Object.assign(gmoOut, { MsgToken: token, ReturnedLength: returned.length / 2 });
  const warning = fits ? {} : { CompCode: WARNING, Reason: accepted ? 2079 : 2080 };
  return { ...warning, MQMD: outputs, MQGMO: gmoOut, data: returned, DataLength: length };
}

function inquire(request) {
  const { queue, options, name } = handleOf(request);
  if (!(options & INQUIRE)) fail(2038);
  const count = (mask) => handles(queue).filter((each) => each.options & mask).length;
  const counted = { QName: name, CurrentQDepth: queue.messages.length, OpenInputCount: count(0x7), OpenOutputCount: count(OUTPUT) };
  const known = { ...queues.get(name), ...counted }; // of an alias, what its own definition says
  return { values: Object.fromEntries(request.attributes.map((each) => [each, known[each] ?? fail(2067)])) };
}

const verbs = {
  MQCONN: ({ conn }) => { connections.set(conn, new Map()); return {}; },
  MQDISC: ({ conn }) => connections.delete(conn) ? {} : fail(2018),
  MQOPEN: open,
  MQCLOSE: close,
  MQPUT: (request) => {
    const handle = handleOf(request);
    if (!(handle.options & OUTPUT)) fail(2039);
    checkPut(request, 0x1000); // ALTERNATE_USER_AUTHORITY is for MQPUT1
    return put(request, handle.queue, handle.name);
  },
  MQPUT1: (request) => {
    connected(request);
    checkPut(request, 0x8000); // LOGICAL_ORDER is for MQPUT
    return put(request, resolve(request.ObjectName), request.ObjectName);
  },
  MQGET: get,
  MQINQ: inquire,
  MQSET: (request) => handleOf(request).options & SET ? fail(2067) : fail(2040),
  MQCMIT: (request) => connected(request) && {}, // there are no units of work, so nothing to commit
  MQBACK: (request) => connected(request) && {},
};

const ops = {
  hello: () => ({
    protocol: 1, implementation: { name: "example", version: "1.0", language: "JavaScript" }, platform: "distributed",
    clock: "virtual", features: ["fifo", "priority", "put1", "inquire", "truncation", "limits"],
  }),
  setup,
  alter: ({ queue, attributes }) => { Object.assign(queue ? queues.get(queue) : qmgr, attributes); return { ok: true }; },
  advance: ({ tenths }) => { now += tenths; return { ok: true }; },
  fail: ({ conn }) => { connections.delete(conn); return { ok: true }; },
  call: (request) => ({ CompCode: OK, Reason: 0, ...verbs[request.verb](request) }),
  bye: () => ({ ok: true }),
};

for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line);
  let reply;
  try {
    reply = ops[request.op](request);
  } catch (error) {
    reply = error instanceof Failure ? { CompCode: FAILED, Reason: error.reason } : { error: error.message };
  }
  console.log(JSON.stringify({ seq: request.seq, ...reply }));
  if (request.op === "bye") break;
}

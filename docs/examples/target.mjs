// A small queue manager in JavaScript that speaks target protocol 1: an example of an adapter, complete but modest.
// It claims `fifo`, `priority`, `put1` and `inquire`, and is judged on those alone.
//
//     mq-conform doctor --target "node target.mjs"
//     mq-conform run --target "node target.mjs"
import { createInterface } from "node:readline";

const OK = 0, WARNING = 1, FAILED = 2;
const INPUT = [0x1, 0x2, 0x4], BROWSE = 0x8, OUTPUT = 0x10, INQUIRE = 0x20, SET = 0x40;
const EXCLUSIVE = 0x4, CONTEXT_ON_OUTPUT = [0x100, 0x200, 0x400, 0x800];
const NULL_ID = "0".repeat(48);
const DEFAULTS = {
  MsgDeliverySequence: "PRIORITY", DefPriority: 0, DefPersistence: 0, MaxQDepth: 5000, MaxMsgLength: 4194304,
  InhibitGet: 0, InhibitPut: 0, Shareability: 1, Usage: "NORMAL", IndexType: "NONE", DefinitionType: "PREDEFINED",
  TriggerControl: 0, TriggerType: 1, TriggerDepth: 1, TriggerMsgPriority: 0, TriggerData: "", ProcessName: "",
  InitiationQName: "", CAPEXPRY: 0, PropertyControl: "COMPATIBILITY", CurrentQDepth: 0, OpenInputCount: 0, OpenOutputCount: 0,
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
class Failure extends Error {
  constructor(reason) { super(`reason ${reason}`); this.reason = reason; }
}
const fail = (reason) => { throw new Failure(reason); };

function setup(request) {
  queues = new Map(), connections = new Map(), now = 0, made = 0, opened = 0;
  qmgr = { CodedCharSetId: 1208, MaxMsgLength: 4194304, MaxPriority: 9, ...request.qmgr };
  for (const queue of request.queues ?? []) {
    const type = queue.type ?? "local";
    queues.set(queue.name, type === "local" ? { type, ...DEFAULTS, ...queue, messages: [] } : { ...queue, type });
  }
}

// The base queue behind a name: an alias stands for its target.
function resolve(name) {
  const found = queues.get(name) ?? fail(2085);
  if (found.type !== "alias") return found;
  return queues.get(found.target) ?? fail(2082);
}

const handles = (queue) => [...connections.values()].flatMap((own) => [...own.values()]).filter((each) => each.queue === queue);
const bits = (options, mask) => mask.filter((bit) => options & bit).length;

function open(request) {
  const own = connections.get(request.conn) ?? fail(2018), options = request.Options;
  if (options & ~0x7effff || options < 0) fail(2046);
  const access = options & (INPUT[0] | INPUT[1] | INPUT[2] | BROWSE | OUTPUT | INQUIRE | SET);
  if (!access || bits(options, INPUT) > 1 || bits(options, [0x4000, 0x8000, 0x400000]) > 1) fail(2046);
  if (bits(options, [0x80000, 0x100000]) > 1) fail(2046);
  if (options & (0x200 | 0x100) && !(options & 0xf)) fail(2046);
  if (bits(options, CONTEXT_ON_OUTPUT) && !(options & OUTPUT)) fail(2046);
  if (options & 0x200000 && !(options & OUTPUT)) fail(2046);
  const queue = resolve(request.ObjectName);
  if (bits(options, INPUT)) {
    const others = handles(queue).filter((each) => bits(each.options, INPUT));
    const exclusive = options & EXCLUSIVE || !queue.Shareability;
    if (others.length && (exclusive || others.some((each) => each.exclusive))) fail(2042);
    opened += 1;
    own.set(opened, { queue, options, exclusive: Boolean(exclusive), name: request.ObjectName });
  } else {
    opened += 1;
    own.set(opened, { queue, options, exclusive: false, name: request.ObjectName });
  }
  return { Hobj: opened, ObjectName: request.ObjectName };
}

function handleOf(request) {
  const own = connections.get(request.conn) ?? fail(2018);
  return own.get(request.Hobj) ?? fail(2019);
}

function close(request) {
  handleOf(request);
  const options = request.Options ?? 0;
  if (options & ~0x3 || options === 0x3) fail(2046);
  if (options) fail(2045);
  connections.get(request.conn).delete(request.Hobj);
  return {};
}

function dateAndTime() {
  const text = new Date(Date.UTC(2024, 0, 1) + now * 100).toISOString().replace(/[-:T.Z]/g, "");
  return { PutDate: text.slice(0, 8), PutTime: text.slice(8, 16) };
}

function put(request, queue, name) {
  const md = { ...MQMD, ...request.MQMD }, data = request.data ?? "";
  if (queues.get(name).InhibitPut || queue.InhibitPut) fail(2051);
  if (md.Priority < -1) fail(2050);
  if (data.length / 2 > Math.min(queue.MaxMsgLength, qmgr.MaxMsgLength)) fail(data.length / 2 > queue.MaxMsgLength ? 2030 : 2031);
  if (queue.messages.length >= queue.MaxQDepth) fail(2053);
  const definition = { ...queue, ...queues.get(name) };
  md.Priority = md.Priority === -1 ? definition.DefPriority : md.Priority;
  md.Persistence = md.Persistence === 2 ? definition.DefPersistence : md.Persistence;
  const tooHigh = md.Priority > qmgr.MaxPriority;
  made += 1;
  if (md.MsgId === NULL_ID) md.MsgId = "414d5120" + made.toString(16).padStart(40, "0");
  md.CodedCharSetId ||= qmgr.CodedCharSetId;
  Object.assign(md, dateAndTime(), { BackoutCount: 0 });
  const rank = Math.min(md.Priority, qmgr.MaxPriority);
  const place = queue.MsgDeliverySequence === "FIFO" ? -1 : queue.messages.findIndex((each) => each.rank < rank);
  queue.messages.splice(place < 0 ? queue.messages.length : place, 0, { md: { ...md }, data, rank });
  return { ...(tooHigh ? { CompCode: WARNING, Reason: 2049 } : {}), MQMD: md, MQPMO: { ResolvedQName: queue.name } };
}

function get(request) {
  const handle = handleOf(request), { queue } = handle, gmo = { Version: 4, Options: 0, MatchOptions: 3, ...request.MQGMO };
  const wanted = { ...MQMD, ...request.MQMD };
  if (gmo.Version < 1 || gmo.Version > 4) fail(2256);
  if (wanted.Version < 1 || wanted.Version > 2) fail(2026);
  if (gmo.Options & ~0xfffffff || gmo.Options < 0) fail(2046);
  if (!bits(handle.options, INPUT)) fail(2037);
  if (queues.get(handle.name).InhibitGet || queue.InhibitGet) fail(2016);
  if (request.BufferLength < 0) fail(2005);
  const matches = ({ md }) => ["MsgId", "CorrelId"].every((name) => wanted[name] === NULL_ID || wanted[name] === md[name]);
  const place = queue.messages.findIndex(matches);
  if (place < 0) fail(2033);
  const { md, data } = queue.messages[place];
  if (data.length / 2 > request.BufferLength) fail(2080);
  queue.messages.splice(place, 1);
  const outputs = { ...md, Version: wanted.Version };
  if (wanted.Version === 1) for (const name of VERSION_2) delete outputs[name];
  const second = { GroupStatus: " ", SegmentStatus: " ", Segmentation: " " };
  const third = { MsgToken: made.toString(16).padStart(32, "0"), ReturnedLength: data.length / 2 };
  return {
    MQMD: outputs, data, DataLength: data.length / 2,
    MQGMO: { ResolvedQName: queue.name, ...(gmo.Version > 1 ? second : {}), ...(gmo.Version > 2 ? third : {}) },
  };
}

function inquire(request) {
  const { queue, options } = handleOf(request);
  if (!(options & INQUIRE)) fail(2038);
  const open = handles(queue), values = {};
  const counted = {
    QName: queue.name, CurrentQDepth: queue.messages.length,
    OpenInputCount: open.filter((each) => bits(each.options, INPUT)).length,
    OpenOutputCount: open.filter((each) => each.options & OUTPUT).length,
  };
  for (const name of request.attributes) values[name] = { ...queue, ...counted }[name] ?? fail(2067);
  return { values };
}

const verbs = {
  MQCONN: ({ conn }) => { connections.set(conn, new Map()); return {}; },
  MQDISC: ({ conn }) => connections.delete(conn) ? {} : fail(2018),
  MQOPEN: open,
  MQCLOSE: close,
  MQPUT: (request) => {
    const handle = handleOf(request);
    if (!(handle.options & OUTPUT)) fail(2039);
    return put(request, handle.queue, handle.name);
  },
  MQPUT1: (request) => {
    if (!connections.has(request.conn)) fail(2018);
    return put(request, resolve(request.ObjectName), request.ObjectName);
  },
  MQGET: get,
  MQINQ: inquire,
  MQCMIT: ({ conn }) => connections.has(conn) ? {} : fail(2018),
  MQBACK: ({ conn }) => connections.has(conn) ? {} : fail(2018),
};

const ops = {
  hello: () => ({
    protocol: 1, implementation: { name: "example", version: "1.0", language: "JavaScript" }, platform: "distributed",
    clock: "virtual", features: ["fifo", "priority", "put1", "inquire"],
  }),
  setup: (request) => { setup(request); return { ok: true }; },
  alter: ({ queue, attributes }) => { Object.assign(queue ? queues.get(queue) : qmgr, attributes); return { ok: true }; },
  advance: ({ tenths }) => { now += tenths; return { ok: true }; },
  fail: ({ conn }) => { connections.delete(conn); return { ok: true }; },
  call: (request) => {
    if (!verbs[request.verb]) throw new Error(`unknown verb ${request.verb}`);
    return { CompCode: OK, Reason: 0, ...verbs[request.verb](request) };
  },
  bye: () => ({ ok: true }),
};

for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line);
  let reply;
  try {
    if (!ops[request.op]) throw new Error(`unknown op ${request.op}`);
    reply = ops[request.op](request);
  } catch (error) {
    reply = error instanceof Failure ? { CompCode: FAILED, Reason: error.reason } : { error: error.message };
  }
  console.log(JSON.stringify({ seq: request.seq, ...reply }));
  if (request.op === "bye") break;
}

// Answers POST /v1/messages: holds, then faults, then the script, then the wire.
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer } from './answer.js';
import { type Fault, type FaultQueue, isErrorFault } from './faults.js';
import type { Holds } from './holds.js';
import { sideAnswer } from './kind.js';
import { apiMessage } from './message.js';
import type { RecordedCall } from './recorder.js';
import type { MessagesRequest } from './request.js';
import { type Delivery, openStream, sendCut, sendError, sendMessage } from './respond.js';
import type { Reply, Script } from './script.js';

export interface MessagesRoute {
  readonly holds: Holds;
  readonly faults: FaultQueue;
  /** Read at each call, so that it may be replaced between two. */
  readonly script: () => Script;
  /** The model the answers name, where it is not the one asked for. */
  readonly model: string | undefined;
}

export interface MessagesCall {
  readonly call: RecordedCall;
  readonly request: MessagesRequest;
  readonly response: ServerResponse;
  readonly signal: AbortSignal;
}

const CUT_ANSWER: Answer = {
  content: [{ type: 'text', text: 'This answer is cut off before its end. '.repeat(8) }],
};

/** Resolves when the answer is out. Rejects when the caller has gone away meanwhile. */
export async function answerMessages(route: MessagesRoute, at: MessagesCall): Promise<void> {
  if (at.call.kind === 'side') {
    await deliver(route, at, sideAnswer(at.request));
    return;
  }
  const fault = route.faults.take();
  at.call.fault = fault?.fault;
  await route.holds.pass(at.call, at.signal);
  at.signal.throwIfAborted();
  if (fault !== undefined && isErrorFault(fault)) {
    await deliver(route, at, fault);
    return;
  }
  if (fault?.fault === 'hang') await hang(route, at);
  await deliver(route, at, await runScript(route, at), fault);
}

async function deliver(route: MessagesRoute, at: MessagesCall, reply: Reply, queued?: Fault): Promise<void> {
  at.signal.throwIfAborted();
  const cut = queued?.fault === 'cut' || ('fault' in reply && reply.fault === 'cut');
  if ('fault' in reply) {
    at.call.fault = reply.fault;
    if (isErrorFault(reply)) {
      at.call.status = sendError(at.response, reply);
      return;
    }
    if (reply.fault === 'hang') {
      await hang(route, at);
      at.response.destroy();
      return;
    }
  }
  const answer = 'fault' in reply ? CUT_ANSWER : reply;
  const slow = queued?.fault === 'slow' ? { delayMs: 1000, chunkDelayMs: 100, ...queued } : undefined;
  const delayMs = slow?.delayMs ?? answer.delayMs ?? 0;
  if (delayMs > 0) await sleep(delayMs, undefined, { signal: at.signal });
  const model = route.model ?? at.request.model ?? 'claude-scripted';
  const delivery: Delivery = {
    response: at.response,
    streamed: at.request.stream === true,
    chunkDelayMs: slow?.chunkDelayMs ?? answer.chunkDelayMs ?? 0,
    headers: answer.headers ?? {},
    signal: at.signal,
  };
  at.call.status = 200;
  await (cut ? sendCut : sendMessage)(apiMessage(answer, model, at.call.bytes), delivery);
}

async function hang(route: MessagesRoute, at: MessagesCall): Promise<void> {
  at.call.status = 200;
  if (at.request.stream === true) openStream(at.response);
  await route.holds.suspend(at.call, at.signal);
  at.signal.throwIfAborted();
}

async function runScript(route: MessagesRoute, at: MessagesCall): Promise<Reply> {
  try {
    return await route.script()(at.request, { call: at.call, signal: at.signal });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { fault: '400', message: `The script threw: ${reason}` };
  }
}

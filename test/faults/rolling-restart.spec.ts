import { afterAll, beforeAll, expect, it } from 'vitest';
import { ChatCase } from './chat/chat-case.js';
import { Findings } from './findings.js';
import { pause } from './pause.js';
import { Random } from './random.js';
import { report } from './report.js';
import { readFaultSettings } from './settings.js';
import { type Addresses, sharedStores } from './stores/stores.js';

const settings = readFaultSettings();
const random = new Random(settings.seed);
const findings = new Findings();
let stores: Addresses;
let chat: ChatCase;

beforeAll(async () => {
  stores = sharedStores('rolling');
  chat = await ChatCase.start({ stores, random, findings, apis: 3, workers: 2 });
}, 300_000);

afterAll(async () => {
  await chat?.stop();
  await stores?.stop();
}, 120_000);

it('restarted one by one under load, three API and two worker processes serve every request', async () => {
  const { all, proxy } = chat.deployment;
  await chat.begin();
  for (const one of all) {
    await pause(random.integer(100, 500));
    const { code, signal } = await one.stop();
    findings.check(code === 0, () => `${one.options.name} ended with ${code ?? signal}:\n${one.tail()}`);
    one.start();
    await one.ready();
  }
  await pause(500);
  const messages = await chat.end();
  report('of a rolling restart', settings, {
    restarts: all.length,
    chat: messages,
    proxy: { 'connections cut': proxy.cut, 'requests refused': proxy.refused },
  });
  const { refusedQueues, failedRequests, unknownWrites } = messages;
  expect(findings.lines).toEqual([]);
  expect({ cut: proxy.cut, refused: proxy.refused, refusedQueues, failedRequests, unknownWrites }).toEqual({
    cut: 0,
    refused: 0,
    refusedQueues: 0,
    failedRequests: 0,
    unknownWrites: 0,
  });
}, 300_000);

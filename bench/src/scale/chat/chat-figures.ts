import type { OperationMeasurementLimit } from '../measured-figures.js';

/** Limits of the measured operations of the chat service, for a database of the large size. */
export const chatOperationLimits: readonly OperationMeasurementLimit[] = [
  {
    title: 'every narrow and anchor of GET /messages',
    operations: ['page *'],
    value: 'medianMs',
    atMost: 250,
    comparedToMiddle: { times: 3, orMs: 30 },
  },
  { title: 'every search of GET /messages', operations: ['search *'], value: 'medianMs', atMost: 2000 },
  { title: 'register with 22 channels', operations: ['register: 22 channels'], value: 'medianMs', atMost: 300 },
  { title: 'register with 22 channels', operations: ['register: 22 channels'], value: 'stallMs', atMost: 50 },
  { title: 'register after a change', operations: ['register: again after a change'], value: 'medianMs', atMost: 1000 },
  ...(['GET /users', 'topics of the wide channel'] as const).flatMap((name): OperationMeasurementLimit[] => [
    { title: name, operations: [name], value: 'medianMs', atMost: 100 },
    { title: name, operations: [name], value: 'stallMs', atMost: 50 },
  ]),
  ...(
    [
      ['medianMs', 20_000],
      ['bystanderMs', 500],
      ['addedMb', 400],
    ] as const
  ).map(([value, atMost]): OperationMeasurementLimit => ({
    title: '200 concurrent registrations',
    operations: ['200 registrations at once'],
    value,
    atMost,
  })),
  { title: 'presence', operations: ['presence at *'], value: 'medianMs', atMost: 50 },
  ...(
    [
      [
        'rename or resolve the longest topic',
        ['rename the long topic', 'resolve the long topic', 'unresolve the long topic'],
        1000,
      ],
      ['move a topic', ['move a topic to another channel', 'merge a topic into another'], 20_000],
      ['delete a topic', ['delete a topic'], 20_000],
    ] as const
  ).flatMap(([title, operations, atMost]): OperationMeasurementLimit[] => [
    { title, operations, value: 'medianMs', atMost },
    { title, operations, value: 'bystanderMs', atMost: 200 },
  ]),
  {
    title: 'message to all users, few of them active',
    operations: ['send to all people, few of them active'],
    value: 'medianMs',
    atMost: 80,
  },
  {
    title: 'message to all users, all active',
    operations: ['send to all people, all of them active'],
    value: 'medianMs',
    atMost: 600,
  },
  {
    title: 'edit, reaction, deletion, typing in a channel of all users',
    operations: [
      'edit a message to all people',
      'react to a message to all people',
      'delete a message to all people',
      'typing in the full channel',
    ],
    value: 'medianMs',
    atMost: 80,
  },
];

import type { OperationMeasurementLimit } from '../measured-figures.js';

const largeModelTitles = ['devices', 'interfaces', 'addresses', 'prefixes'];
const deviceDeletionOperationName = 'delete a hundredth of the devices with their interfaces';

const cableWriteOperationNames = ['create 10,000 cables *', 'change 10,000 cables *', 'move an end of 10,000 cables *'];

/** Limits of the measured operations of the inventory service, for a database of the large size. */
export const inventoryOperationLimits: readonly OperationMeasurementLimit[] = [
  { title: 'a page in an order that an index serves', operations: ['order *'], value: 'medianMs', atMost: 300 },
  { title: 'deep offsets', operations: ['deep offset *', 'changes: deep offset'], value: 'medianMs', atMost: 500 },
  { title: 'other orders', operations: ['other order *'], value: 'medianMs', atMost: 1500 },
  {
    title: 'search without a hit',
    operations: [
      ...largeModelTitles.map((title) => `search ${title}: q=nonesuch`),
      'changes: q=nonesuch',
      'tagged objects: q=nonesuch',
    ],
    value: 'medianMs',
    atMost: 300,
  },
  {
    title: 'search with fewer than 10,000 hits',
    operations: [
      ...largeModelTitles.flatMap((title) => [`search ${title}: q=word777`, `search ${title}: q=7777`]),
      'changes: q=word777',
      'tagged objects: q=tag-22',
    ],
    value: 'medianMs',
    atMost: 300,
  },
  {
    title: 'creation time and integer custom field',
    operations: [
      ...largeModelTitles.map((title) => `filter ${title}: created=2024-03-01T00:00:00Z`),
      ...largeModelTitles.filter((title) => title !== 'interfaces').map((title) => `filter ${title}: cf_slot=777`),
    ],
    value: 'medianMs',
    atMost: 300,
  },
  {
    title: 'depth and children of prefixes',
    operations: ['filter prefixes: depth*', 'filter prefixes: children*'],
    value: 'medianMs',
    atMost: 2000,
  },
  { title: 'task board', operations: ['background tasks: *'], value: 'medianMs', atMost: 300 },
  { title: 'change 10,000 devices', operations: ['change 10,000 devices *'], value: 'addedMb', atMost: 200 },
  { title: 'change 10,000 devices', operations: ['change 10,000 devices *'], value: 'stallMs', atMost: 100 },
  { title: 'write 10,000 cables', operations: cableWriteOperationNames, value: 'addedMb', atMost: 200 },
  { title: 'write 10,000 cables', operations: cableWriteOperationNames, value: 'stallMs', atMost: 100 },
  { title: 'delete cabled devices', operations: ['delete 2,000 devices *'], value: 'addedMb', atMost: 200 },
  { title: 'delete cabled devices', operations: ['delete 2,000 devices *'], value: 'stallMs', atMost: 100 },
  { title: 'delete a platform', operations: ['delete a platform *'], value: 'addedMb', atMost: 200 },
  { title: 'delete a platform', operations: ['delete a platform *'], value: 'stallMs', atMost: 100 },
  { title: 'export 10,000 devices', operations: ['export: *'], value: 'addedMb', atMost: 200 },
  { title: 'page of more than 512 MB', operations: ['page of 1,000 *'], value: 'addedMb', atMost: 200 },
  {
    title: 'delivery of a change beside a bulk change',
    operations: ['webhook of a site beside *'],
    value: 'medianMs',
    atMost: 1000,
  },
  { title: 'tagged objects', operations: ['tagged objects: first page'], value: 'medianMs', atMost: 300 },
  { title: 'delete 10,000 devices', operations: [deviceDeletionOperationName], value: 'medianMs', atMost: 90_000 },
  { title: 'delete 10,000 devices', operations: [deviceDeletionOperationName], value: 'addedMb', atMost: 200 },
  { title: 'delete 10,000 devices', operations: [deviceDeletionOperationName], value: 'stallMs', atMost: 100 },
  { title: 'delete 10,000 devices', operations: [deviceDeletionOperationName], value: 'bystanderMs', atMost: 1000 },
  {
    title: 'custom field of all devices',
    operations: ['create a custom field with a default', 'rename a custom field', 'delete a custom field'],
    value: 'medianMs',
    atMost: 2000,
  },
  {
    title: 'prefix that covers all others',
    operations: [
      'create a prefix that covers*',
      'move a prefix that covers*',
      'move a prefix above*',
      'delete a prefix that covers*',
    ],
    value: 'medianMs',
    atMost: 2000,
  },
];

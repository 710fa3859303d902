import { systemBots } from '../../core/users/index.js';
import { userRoleNumbers } from '../../infra/http/chat-actor.js';

/** A user of the demo realm (docs/contract/chat.md 7.1). `name` is the part of the email address before the @. */
export interface DemoPerson {
  readonly name: string;
  readonly fullName: string;
  readonly role: number;
}

/** Users of the demo realm. The database stores the email addresses in exactly this letter case. */
export const demoPeople: readonly DemoPerson[] = [
  { name: 'desdemona', fullName: 'Desdemona', role: userRoleNumbers.owner },
  { name: 'iago', fullName: 'Iago', role: userRoleNumbers.administrator },
  { name: 'shiva', fullName: 'शिव', role: userRoleNumbers.moderator },
  { name: 'AARON', fullName: 'aaron', role: userRoleNumbers.member },
  { name: 'hamlet', fullName: 'King Hamlet', role: userRoleNumbers.member },
  { name: 'cordelia', fullName: "Cordelia, Lear's daughter", role: userRoleNumbers.member },
  { name: 'polonius', fullName: 'Polonius', role: userRoleNumbers.guest },
  { name: 'ZOE', fullName: 'Zoe', role: userRoleNumbers.member },
  { name: 'othello', fullName: 'Othello, the Moor of Venice', role: userRoleNumbers.member },
  { name: 'prospero', fullName: 'Prospero from The Tempest', role: userRoleNumbers.member },
];

/** A bot of the demo realm. Bots without an owner are system bots. */
export interface DemoBot {
  readonly name: string;
  readonly fullName: string;
  readonly botType: number;
  readonly owner: string | null;
}

export const demoBots: readonly DemoBot[] = [
  ...systemBots.map((bot) => ({ ...bot, botType: 1, owner: null })),
  { name: 'default-bot', fullName: 'Default Bot', botType: 1, owner: 'desdemona' },
  { name: 'webhook-bot', fullName: 'Webhook Bot', botType: 2, owner: 'ZOE' },
  { name: 'outgoing-webhook', fullName: 'Outgoing Webhook', botType: 3, owner: 'AARON' },
];

/** A channel of the demo realm, with the users who subscribe to the channel. */
export interface DemoChannel {
  readonly name: string;
  readonly description: string;
  readonly members: readonly string[];
  readonly isPrivate?: boolean;
  readonly isWebPublic?: boolean;
  readonly isDefault?: boolean;
}

const demoPersonAndBotNames = demoPeople.map(({ name }) => name);
const demoGuestName = 'polonius';
const demoNamesWithoutGuest = demoPersonAndBotNames.filter((name) => name !== demoGuestName);

export const demoChannels: readonly DemoChannel[] = [
  { name: 'Verona', description: 'A city in Italy', members: demoPersonAndBotNames, isDefault: true },
  {
    name: 'Denmark',
    description: 'A Scandinavian country',
    members: ['hamlet', 'iago', 'desdemona', 'shiva', 'othello', 'prospero', 'ZOE'],
    isDefault: true,
  },
  {
    name: 'Scotland',
    description: 'Located in the **United Kingdom**',
    members: ['iago', 'shiva', 'othello', 'prospero', 'ZOE'],
  },
  {
    name: 'Venice',
    description: 'A northeastern Italian city',
    members: ['desdemona', 'prospero', 'ZOE'],
    isDefault: true,
  },
  { name: 'Rome', description: 'Yet another Italian city', members: ['ZOE'], isWebPublic: true },
  {
    name: 'core team',
    description: 'A private channel for the core team',
    members: ['hamlet', 'iago', 'desdemona'],
    isPrivate: true,
  },
  { name: 'devel', description: 'For developing', members: demoNamesWithoutGuest },
  { name: 'announce', description: 'For announcements', members: demoPersonAndBotNames },
  { name: 'design', description: 'For design', members: demoNamesWithoutGuest },
  { name: 'support', description: 'For support', members: demoNamesWithoutGuest },
  { name: 'social', description: 'For socializing', members: demoNamesWithoutGuest },
  { name: 'test', description: 'For testing `code`', members: demoNamesWithoutGuest },
  { name: 'errors', description: 'For errors', members: demoNamesWithoutGuest },
];

import { convertErrorToDatabaseFault } from '@switchboard/errors';
import { addChannel } from '../../core/channels/index.js';
import { addSystemBots } from '../../core/users/index.js';
import { addRealm } from '../../core/realms/index.js';
import type { ChatRuntime } from '../runtime.js';
import { getRealmId } from './accounts.js';
import { AdminError } from './admin-error.js';

/** Name, host and URL of an organization to create. */
export interface RealmCreationRequest {
  readonly stringId: string;
  readonly name: string;
  /** Host name of the organization, without scheme and port. */
  readonly host: string;
  /** Scheme, host and port of links to the organization. The default is `https://<host>` in production. */
  readonly publicUrl?: string | undefined;
  readonly description: string;
}

/**
 * Creates an organization with the bots of the service and without users. The command `create-owner` adds its first
 * user. Returns the id of the organization.
 * @throws AdminError when the name or host is taken, or when the host or URL is malformed
 */
export async function createRealm(runtime: ChatRuntime, request: RealmCreationRequest): Promise<number> {
  const { database, renderer, realmSites, apiKeys } = runtime;
  const host = checkRealmHost(request.host);
  const publicUrl = request.publicUrl === undefined ? null : parseRealmPublicUrl(request.publicUrl);
  if (publicUrl !== null && publicUrl.hostname !== host) throw new AdminError(`The host of --url must be ${host}.`);
  try {
    const id = await database.inTransaction(async (tx) => {
      const { realmId, systemGroups } = await addRealm(tx, {
        ...request,
        host,
        publicUrl: publicUrl?.origin ?? null,
        fakeEmailDomain: host,
      });
      const channelId = await addChannel(
        tx,
        { realmId, name: 'general', description: 'For everything', creatorId: null, isDefault: true },
        { renderer, systemGroups },
      );
      await addSystemBots(tx, apiKeys, realmId);
      const data = { newStreamAnnouncementsChannelId: channelId };
      await tx.prisma.realm.updateMany({ where: { id: realmId }, data });
      return realmId;
    });
    await realmSites.invalidate();
    return id;
  } catch (error) {
    if (convertErrorToDatabaseFault(error)?.kind !== 'unique') throw error;
    throw new AdminError(`An organization with the id ${request.stringId} or the host ${host} already exists.`);
  }
}

/**
 * Sets the URL of an organization. The host of the URL becomes the host name of the organization. Returns the id of the
 * organization.
 *
 * @throws AdminError
 */
export async function setRealmUrl(
  { database, realmSites, realmContents }: ChatRuntime,
  change: { readonly realm: string | undefined; readonly url: string },
): Promise<number> {
  const { hostname, origin } = parseRealmPublicUrl(change.url);
  try {
    const realmId = await database.inTransaction(async (tx) => {
      const id = await getRealmId(tx, change.realm);
      await tx.prisma.realm.updateMany({ where: { id }, data: { host: hostname, publicUrl: origin } });
      return id;
    });
    await Promise.all([realmSites.invalidate(), realmContents.invalidate(realmId)]);
    return realmId;
  } catch (error) {
    if (convertErrorToDatabaseFault(error)?.kind !== 'unique') throw error;
    throw new AdminError(`An organization with the host ${hostname} already exists.`);
  }
}

/** Checks a host name, and returns the host name in lower case. @throws AdminError if the text is not a host name */
export function checkRealmHost(text: string): string {
  const host = text.toLowerCase();
  if (parseUrlOrNull(`https://${host}`)?.hostname === host) return host;
  throw new AdminError('--host must be a host name without scheme and port.');
}

/**
 * Parses the URL of an organization: scheme, host and port.
 *
 * @throws AdminError if the text contains other parts or is malformed
 */
export function parseRealmPublicUrl(text: string): URL {
  const url = parseUrlOrNull(text);
  const isOrigin = url !== null && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`;
  if (!isOrigin) throw new AdminError('--url must be a scheme and a host, such as https://chat.example.com:8443.');
  return url;
}

function parseUrlOrNull(text: string): URL | null {
  return URL.canParse(text) ? new URL(text) : null;
}

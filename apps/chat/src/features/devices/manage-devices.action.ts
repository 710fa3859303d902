import { Inject, Injectable } from '@nestjs/common';
import type { Database } from '@switchboard/database';
import type { ChatActor } from '../../infra/http/actor.js';
import { chatErrors } from '../../errors.js';
import { ChatEvents } from '../../events/chat-events.js';
import type { ChatConfig } from '../../config.js';
import { CHAT_CONFIG, DATABASE } from '../../tokens.js';
import { deviceAddEvent, deviceRemoveEvent } from './devices.events.js';

/** Stores the installed clients of a user (docs/contract/chat.md 2.B). */
@Injectable()
export class ManageDevices {
  constructor(
    @Inject(DATABASE) private readonly database: Database,
    private readonly events: ChatEvents,
    @Inject(CHAT_CONFIG) private readonly config: Pick<ChatConfig, 'DEVICES_PER_USER'>,
  ) {}

  /** Registers another device of the actor; the oldest above the limit are removed. */
  register(actor: ChatActor): Promise<{ device_id: number }> {
    return this.database.inTransaction(async (tx) => {
      const { rows } = await tx.query<{ device_id: number }>(
        'INSERT INTO devices (user_id) VALUES ($1) RETURNING id AS device_id',
        [actor.id],
      );
      const [payload] = rows;
      if (payload === undefined) throw new Error('An insert returned no row');
      const audience = { users: [actor.id] };
      this.events.write(tx, actor.realmId, deviceAddEvent, { audience, payload });
      const { rows: removed } = await tx.query<{ device_id: number }>(
        `DELETE FROM devices WHERE id IN (
           SELECT id FROM devices WHERE user_id = $1 ORDER BY id DESC OFFSET $2) RETURNING id AS device_id`,
        [actor.id, this.config.DEVICES_PER_USER],
      );
      for (const device of removed)
        this.events.write(tx, actor.realmId, deviceRemoveEvent, { audience, payload: device });
      return payload;
    });
  }

  /** Forgets a device of the actor. @throws AppError NOT_FOUND */
  async remove(actor: ChatActor, deviceId: number): Promise<void> {
    await this.database.inTransaction(async (tx) => {
      const { rowCount } = await tx.query('DELETE FROM devices WHERE user_id = $1 AND id = $2::bigint', [
        actor.id,
        deviceId,
      ]);
      if (rowCount === 0) throw chatErrors.create('NOT_FOUND', { message: 'Device does not exist.' });
      const payload = { device_id: deviceId };
      this.events.write(tx, actor.realmId, deviceRemoveEvent, { audience: { users: [actor.id] }, payload });
    });
  }
}

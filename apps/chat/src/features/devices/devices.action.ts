import { Inject, Injectable } from '@nestjs/common';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { chatErrors } from '../../errors.js';
import { ChatEventWriter } from '../../events/chat-events.js';
import type { ChatConfig } from '../../config.js';
import { CHAT_CONFIG_TOKEN, DATABASE_TOKEN } from '../../tokens.js';
import { lockUserRow } from '../../core/database-locks.js';
import { isPostgresRowId } from '../../infra/check-row-id.js';
import { deviceAddEvent, deviceRemoveEvent } from './devices.events.js';
import type { ChatDatabaseWithPrisma } from '../../infra/open-prisma.js';

/** Stores the registered devices of users (docs/contract/chat.md 2.B). */
@Injectable()
export class DevicesService {
  constructor(
    @Inject(DATABASE_TOKEN) private readonly database: ChatDatabaseWithPrisma,
    private readonly events: ChatEventWriter,
    @Inject(CHAT_CONFIG_TOKEN) private readonly config: Pick<ChatConfig, 'DEVICES_PER_USER'>,
  ) {}

  /**
   * Registers a device of the actor. Removes the actor's oldest devices if the maximum number of devices is exceeded.
   */
  register(actor: ChatActor): Promise<{ device_id: number }> {
    return this.database.inTransaction(async (tx) => {
      const { id: userId, realmId } = actor;
      // The lock makes the second of two concurrent registrations count the device of the first.
      await lockUserRow(tx, userId);
      const { device } = tx.prisma;
      const { id } = await device.create({ data: { userId }, select: { id: true } });
      const payload = { device_id: id };
      const audience = { users: [userId] };
      this.events.write(tx, realmId, deviceAddEvent, { audience, payload });
      const oldest = await device.findMany({
        where: { userId },
        select: { id: true },
        orderBy: { id: 'desc' },
        skip: this.config.DEVICES_PER_USER,
      });
      const ids = oldest.map((removed) => removed.id);
      if (ids.length > 0) await device.deleteMany({ where: { id: { in: ids } } });
      for (const removed of ids) {
        this.events.write(tx, realmId, deviceRemoveEvent, { audience, payload: { device_id: removed } });
      }
      return payload;
    });
  }

  /** Removes a device of the actor. @throws ApplicationError NOT_FOUND */
  async remove(actor: ChatActor, deviceId: number): Promise<void> {
    await this.database.inTransaction(async (tx) => {
      await lockUserRow(tx, actor.id);
      const where = { id: deviceId, userId: actor.id };
      const { count } = isPostgresRowId(deviceId) ? await tx.prisma.device.deleteMany({ where }) : { count: 0 };
      if (count === 0) throw chatErrors.create('NOT_FOUND', { message: 'Device does not exist.' });
      const payload = { device_id: deviceId };
      this.events.write(tx, actor.realmId, deviceRemoveEvent, { audience: { users: [actor.id] }, payload });
    });
  }
}

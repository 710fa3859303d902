import { Inject, Injectable } from '@nestjs/common';
import { z } from 'zod';
import { rejectBots } from '../../core/access/actor-rights.js';
import { getEffectiveUserSettings } from '../../core/users/index.js';
import { createBadRequestError, chatErrors } from '../../errors.js';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import type { ChatDatabaseWithPrisma } from '../../infra/open-prisma.js';
import { DATABASE_TOKEN } from '../../tokens.js';
import { type SettingCommand, settingCommands } from './slash-commands.js';
import { UserSettingsChanger } from './apply-setting-changes.js';
import { lockAccountsForSettingsChange } from './settings.repository.js';

const storedUserSettingsSchema = z.looseObject({});

/** Runs slash commands of the message compose box, which change settings of the user (docs/contract/chat.md 2.C). */
@Injectable()
export class RunSlashCommand {
  constructor(
    @Inject(DATABASE_TOKEN) private readonly database: ChatDatabaseWithPrisma,
    private readonly changes: UserSettingsChanger,
  ) {}

  /**
   * Runs a slash command of the compose box. Returns the text that the client shows to the user.
   *
   * @param text the command with its leading slash
   * @throws ApplicationError BAD_REQUEST
   */
  async run(actor: ChatActor, text: string): Promise<{ msg: string }> {
    rejectBots(actor);
    if (!text.startsWith('/')) throw createBadRequestError('There should be a leading slash in the zcommand.');
    const name = text.slice(1);
    if (name === 'ping') return { msg: '' };
    const command = settingCommands.get(name);
    if (command === undefined) throw createBadRequestError(`No such command: ${name}`);
    const { mode, currentMode, opposite } = command;
    const isChanged = await this.#change(actor, command);
    if (!isChanged) return { msg: `You are still in ${currentMode}.` };
    return { msg: `Changed to ${mode}! To revert ${mode}, type \`/${opposite}\`.` };
  }

  /** Changes the user setting that a slash command refers to. Returns false if the setting already has the value. */
  #change(actor: ChatActor, { setting, value }: SettingCommand): Promise<boolean> {
    return this.database.inTransaction(async (tx) => {
      const owners = await lockAccountsForSettingsChange(tx, actor.realmId, [actor.id], { activeOnly: true });
      if (owners.length === 0) throw chatErrors.create('USER_DEACTIVATED');
      const user = await tx.prisma.user.findFirst({ where: { id: actor.id }, select: { settings: true } });
      const current = getEffectiveUserSettings(storedUserSettingsSchema.parse(user?.settings ?? {}));
      if (current[setting] === value) return false;
      const options = { byOwner: true, skipsEdited: false };
      await this.changes.changeSettingsAndEmitEvents(tx, actor.realmId, owners, { [setting]: value }, options);
      return true;
    });
  }
}

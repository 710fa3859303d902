import { Inject, Injectable } from '@nestjs/common';
import type { ChatConfig } from '../../config.js';
import { rejectBots } from '../../core/access/actor-rights.js';
import { lockUserRow } from '../../core/database-locks.js';
import { createBadRequestError } from '../../errors.js';
import { ChatEventWriter } from '../../events/chat-events.js';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import type { ChatDatabaseWithPrisma } from '../../infra/open-prisma.js';
import { CHAT_CONFIG_TOKEN, DATABASE_TOKEN } from '../../tokens.js';
import { onboardingStepsEvent } from './onboarding-steps.events.js';
import { ScheduleWelcomeMessage } from '../scheduled-messages/index.js';
import { isOnboardingStep, listRemainingSteps, navigationVideoStepName } from './onboarding-step-list.js';

/**
 * Records that a user has completed an onboarding step, such as a notice that clients show once (docs/contract/chat.md
 * 2.G).
 */
@Injectable()
export class CompleteOnboardingStep {
  constructor(
    @Inject(DATABASE_TOKEN) private readonly database: ChatDatabaseWithPrisma,
    private readonly events: ChatEventWriter,
    @Inject(CHAT_CONFIG_TOKEN) private readonly config: Pick<ChatConfig, 'NAVIGATION_TOUR_VIDEO_URL'>,
    private readonly reminders: ScheduleWelcomeMessage,
  ) {}

  /**
   * @param reminderSeconds time after which Welcome Bot reminds the user of the navigation tour video
   * @throws ApplicationError BAD_REQUEST for bots and unknown steps, and for a reminder of another step or without a
   * video
   */
  async run(actor: ChatActor, step: string, reminderSeconds?: number): Promise<void> {
    rejectBots(actor);
    if (!isOnboardingStep(step)) throw createBadRequestError(`Unknown onboarding_step: ${step}`);
    const { NAVIGATION_TOUR_VIDEO_URL: video } = this.config;
    if (reminderSeconds !== undefined && (step !== navigationVideoStepName || video === undefined)) {
      throw createBadRequestError('Only the navigation tour video has reminders');
    }
    const isScheduled = await this.database.inTransaction(async (tx) => {
      // Concurrent requests of one user would otherwise emit lists without each other's steps.
      await lockUserRow(tx, actor.id);
      const data = [{ userId: actor.id, step }];
      const { count } = await tx.prisma.onboardingStep.createMany({ data, skipDuplicates: true });
      if (count === 0) return false;
      const rows = await tx.prisma.onboardingStep.findMany({ where: { userId: actor.id }, select: { step: true } });
      const completed = rows.map((row) => row.step);
      const payload = {
        onboarding_steps: listRemainingSteps(completed, video !== undefined),
      };
      this.events.write(tx, actor.realmId, onboardingStepsEvent, { audience: { users: [actor.id] }, payload });
      if (reminderSeconds === undefined) return false;
      const content = `You asked to watch the [navigation tour video](${video}) later. Is this a good time?`;
      return this.reminders.scheduleMessage(tx, actor, content, reminderSeconds);
    });
    if (isScheduled) this.reminders.wakeDeliveryWorkers();
  }
}

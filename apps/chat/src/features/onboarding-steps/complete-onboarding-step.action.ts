import { Inject, Injectable } from '@nestjs/common';
import type { ChatConfig } from '../../config.js';
import { rejectBots } from '../../core/access/actor-rights.js';
import { lockOwner } from '../../core/locks.js';
import { badRequest } from '../../errors.js';
import { ChatEvents } from '../../events/chat-events.js';
import type { ChatActor } from '../../infra/http/actor.js';
import type { ChatDatabase } from '../../infra/prisma.js';
import { CHAT_CONFIG, DATABASE } from '../../tokens.js';
import { onboardingStepsEvent } from './onboarding-steps.events.js';
import { isOnboardingStep, remainingSteps } from './onboarding-steps.js';

/** Records that a user has seen a notice or done an action of the onboarding (docs/contract/chat.md 2.G). */
@Injectable()
export class CompleteOnboardingStep {
  constructor(
    @Inject(DATABASE) private readonly database: ChatDatabase,
    private readonly events: ChatEvents,
    @Inject(CHAT_CONFIG) private readonly config: Pick<ChatConfig, 'NAVIGATION_TOUR_VIDEO_URL'>,
  ) {}

  /** @throws AppError BAD_REQUEST for bots and unknown steps */
  async run(actor: ChatActor, step: string): Promise<void> {
    rejectBots(actor);
    if (!isOnboardingStep(step)) throw badRequest(`Unknown onboarding_step: ${step}`);
    await this.database.inTransaction(async (tx) => {
      // Concurrent requests of one user would otherwise emit lists without each other's steps.
      await lockOwner(tx, actor.id);
      const data = [{ userId: actor.id, step }];
      const { count } = await tx.prisma.onboardingStep.createMany({ data, skipDuplicates: true });
      if (count === 0) return;
      const rows = await tx.prisma.onboardingStep.findMany({ where: { userId: actor.id }, select: { step: true } });
      const completed = rows.map((row) => row.step);
      const payload = {
        onboarding_steps: remainingSteps(completed, this.config.NAVIGATION_TOUR_VIDEO_URL !== undefined),
      };
      this.events.write(tx, actor.realmId, onboardingStepsEvent, { audience: { users: [actor.id] }, payload });
    });
  }
}

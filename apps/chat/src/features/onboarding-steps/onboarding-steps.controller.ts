import { Controller, HttpCode, Post } from '@nestjs/common';
import { CurrentActor } from '@switchboard/nest';
import { DescribeEndpoint } from '@switchboard/platform';
import { z } from 'zod';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { commonErrorResponses, createSuccessBodySchema } from '../../infra/http/envelope.schemas.js';
import { createOpenApiFormBodies } from '../../infra/http/openapi-forms.js';
import { RequestParameters, type DecodedParametersOfDefinition } from '../../infra/http/parameter-decorators.js';
import { defineParameters } from '../../infra/http/parameters.js';
import { CompleteOnboardingStep } from './complete-onboarding-step.action.js';

/** Maximum time until the reminder of the navigation tour video, in seconds: a year. */
const maxReminderDelaySeconds = 31_536_000;

const onboardingStepCompletionParameters = defineParameters(
  z.object({
    onboarding_step: z.string().meta({ description: 'Name of the notice or action' }),
    schedule_navigation_tour_video_reminder_delay: z.int().min(1).max(maxReminderDelaySeconds).optional().meta({
      description:
        'Only with the step `navigation_tour_video`: seconds after which Welcome Bot reminds the user of the video',
    }),
  }),
);
const emptyResponseBody = createSuccessBodySchema({});

/** Endpoint that records which onboarding hints a user has seen (docs/contract/chat.md 2.G). */
@Controller('api/v1/users/me/onboarding_steps')
export class OnboardingStepsController {
  constructor(private readonly completeStep: CompleteOnboardingStep) {}

  @Post()
  @HttpCode(200)
  @DescribeEndpoint({
    operationId: 'mark-onboarding-step-as-read',
    summary: 'Marks an onboarding step of the user as completed',
    tags: ['users'],
    security: ['basic'],
    body: createOpenApiFormBodies(onboardingStepCompletionParameters),
    responses: { 200: { description: 'Recorded', schema: emptyResponseBody }, ...commonErrorResponses },
  })
  complete(
    @CurrentActor() actor: ChatActor,
    @RequestParameters(onboardingStepCompletionParameters) sent: DecodedParametersOfDefinition<
      typeof onboardingStepCompletionParameters
    >,
  ) {
    return this.completeStep.run(actor, sent.onboarding_step, sent.schedule_navigation_tour_video_reminder_delay);
  }
}

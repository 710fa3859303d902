import { Controller, HttpCode, Post } from '@nestjs/common';
import { CurrentActor } from '@switchboard/nest';
import { DescribeEndpoint } from '@switchboard/platform';
import { z } from 'zod';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { commonErrorResponses, createSuccessBodySchema } from '../../infra/http/envelope.schemas.js';
import { createOpenApiFormBodies } from '../../infra/http/openapi-forms.js';
import { RequestParameters, type DecodedParametersOfDefinition } from '../../infra/http/parameter-decorators.js';
import { defineParameters } from '../../infra/http/parameters.js';
import { settingCommandNames } from './slash-commands.js';
import { RunSlashCommand } from './run-slash-command.action.js';

const commandParameters = defineParameters(
  z.object({ command: z.string().meta({ description: `One of /ping, ${settingCommandNames}` }) }),
);
const commandResponseBody = createSuccessBodySchema({
  msg: z.string().meta({ description: 'Text for the user, or an empty string' }),
});

/** Endpoint for commands of the compose box of web clients (docs/contract/chat.md 2.C). */
@Controller('api/v1/zcommand')
export class CommandsController {
  constructor(private readonly runCommand: RunSlashCommand) {}

  @Post()
  @HttpCode(200)
  @DescribeEndpoint({
    operationId: 'run-zcommand',
    summary: 'Runs a command: a settings change or a ping',
    tags: ['settings'],
    security: ['basic'],
    body: createOpenApiFormBodies(commandParameters),
    responses: { 200: { description: 'Done', schema: commandResponseBody }, ...commonErrorResponses },
  })
  run(
    @CurrentActor() actor: ChatActor,
    @RequestParameters(commandParameters) { command }: DecodedParametersOfDefinition<typeof commandParameters>,
  ) {
    return this.runCommand.run(actor, command);
  }
}

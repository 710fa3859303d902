import { getRequestActor, type AuthenticatedRequest } from '@switchboard/nest';
import { Controller, Inject, Patch, Post, Put, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { actorWithoutCredentials } from '../../auth/anonymous-actor.js';
import type { InventoryActor } from '../../engine/object-access.js';
import { readObject } from '../../engine/read/object-reader.js';
import { allFieldsSelection } from '../../engine/read/object-json-fragments.js';
import { inventoryErrors } from '../../errors.js';
import { getRequestUrlBase } from '../../http/request-urls.js';
import { INVENTORY_CONTEXT, type InventoryContext } from '../../http/inventory-context.js';
import { scriptModel } from '../../models/extras/script.js';

type ScriptRequest = FastifyRequest<{ Params: { id: string } }> & AuthenticatedRequest<InventoryActor>;

/**
 * Endpoints that would add scripts. They always respond with the reason why the service cannot add scripts
 * (docs/contract/inventory.md 2.4).
 */
@Controller('api/extras/scripts')
export class ScriptUploadController {
  /**
   * Rejects the creation of a script.
   *
   * @throws ApplicationError SCRIPTS_UNSUPPORTED
   */
  @Post()
  rejectScriptCreation(): never {
    throw inventoryErrors.create('SCRIPTS_UNSUPPORTED');
  }

  /**
   * Rejects the upload of a script file.
   *
   * @throws ApplicationError SCRIPTS_UNSUPPORTED
   */
  @Post('upload')
  rejectScriptUpload(): never {
    throw inventoryErrors.create('SCRIPTS_UNSUPPORTED');
  }

  /**
   * Rejects the replacement of a script file.
   *
   * @throws ApplicationError SCRIPTS_UNSUPPORTED
   */
  @Put('upload/:id')
  rejectScriptReplacement(): never {
    throw inventoryErrors.create('SCRIPTS_UNSUPPORTED');
  }

  /**
   * Rejects a change of a script file.
   *
   * @throws ApplicationError SCRIPTS_UNSUPPORTED
   */
  @Patch('upload/:id')
  rejectScriptChange(): never {
    throw inventoryErrors.create('SCRIPTS_UNSUPPORTED');
  }
}

/**
 * Endpoint `POST /api/extras/scripts/<id>/`, which would run a script but always fails. Running scripts needs workers
 * that this service does not have (docs/contract/inventory.md 2.4).
 */
@Controller('api/extras/scripts/:id')
export class ScriptsController {
  constructor(@Inject(INVENTORY_CONTEXT) private readonly parts: InventoryContext) {}

  /**
   * Checks the permission to run a script, and then always fails.
   *
   * @throws ApplicationError SCRIPT_WORKER_MISSING if the user may run the script
   */
  @Post()
  async rejectScriptRun(@Req() request: ScriptRequest): Promise<never> {
    const { database, policy, shapes } = this.parts;
    const grant = policy.getGrant(getRequestActor(request) ?? actorWithoutCredentials, scriptModel, 'run');
    if (grant === null) throw inventoryErrors.create('PERMISSION_DENIED');
    const { id } = request.params;
    if (!/^\d{1,18}$/.test(id)) throw inventoryErrors.create('NOT_FOUND');
    await readObject(database, shapes, {
      model: scriptModel,
      id,
      grant,
      selection: allFieldsSelection,
      base: getRequestUrlBase(request),
    });
    throw inventoryErrors.create('SCRIPT_WORKER_MISSING');
  }
}

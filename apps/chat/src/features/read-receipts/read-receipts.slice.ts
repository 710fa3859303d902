import { defineFeatureModule } from '../../events/define-feature-slice.js';
import { GetReadReceipts } from './get-read-receipts.query.js';
import { ReadReceiptsController } from './read-receipts.controller.js';

/** Feature module (slice) of read receipts. The module declares one endpoint. */
export const readReceiptsFeatureModule = defineFeatureModule('read-receipts', {
  controllers: [ReadReceiptsController],
  providers: [GetReadReceipts],
});

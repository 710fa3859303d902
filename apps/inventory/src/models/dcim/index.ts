import type { ModelDefinition } from '../../engine/declaration/define-model.js';
import { cable } from './cable.js';
import { cableBundle } from './cable-bundle.js';
import { cableTermination } from './cable-termination.js';
import { consolePort } from './console-port.js';
import { consolePortTemplate } from './console-port-template.js';
import { consoleServerPort } from './console-server-port.js';
import { consoleServerPortTemplate } from './console-server-port-template.js';
import { device } from './device.js';
import { deviceBay } from './device-bay.js';
import { deviceBayTemplate } from './device-bay-template.js';
import { deviceRole } from './device-role.js';
import { deviceType } from './device-type.js';
import { frontPort } from './front-port.js';
import { frontPortTemplate } from './front-port-template.js';
import { networkInterface } from './interface.js';
import { interfaceTemplate } from './interface-template.js';
import { inventoryItem } from './inventory-item.js';
import { inventoryItemRole } from './inventory-item-role.js';
import { inventoryItemTemplate } from './inventory-item-template.js';
import { location } from './location.js';
import { macAddress } from './mac-address.js';
import { manufacturer } from './manufacturer.js';
import { module } from './module.js';
import { moduleBay } from './module-bay.js';
import { moduleBayTemplate } from './module-bay-template.js';
import { moduleType } from './module-type.js';
import { moduleTypeProfile } from './module-type-profile.js';
import { platform } from './platform.js';
import { powerFeed } from './power-feed.js';
import { powerOutlet } from './power-outlet.js';
import { powerOutletTemplate } from './power-outlet-template.js';
import { powerPanel } from './power-panel.js';
import { powerPort } from './power-port.js';
import { powerPortTemplate } from './power-port-template.js';
import { rack } from './rack.js';
import { rackGroup } from './rack-group.js';
import { rackReservation } from './rack-reservation.js';
import { rackRole } from './rack-role.js';
import { rackType } from './rack-type.js';
import { rearPort } from './rear-port.js';
import { rearPortTemplate } from './rear-port-template.js';
import { region } from './region.js';
import { site } from './site.js';
import { siteGroup } from './site-group.js';
import { virtualChassis } from './virtual-chassis.js';
import { virtualDeviceContext } from './virtual-device-context.js';

/** All models of the app `dcim`. */
export const dcimModels: readonly ModelDefinition[] = [
  cable,
  cableBundle,
  cableTermination,
  consolePort,
  consolePortTemplate,
  consoleServerPort,
  consoleServerPortTemplate,
  device,
  deviceBay,
  deviceBayTemplate,
  deviceRole,
  deviceType,
  frontPort,
  frontPortTemplate,
  interfaceTemplate,
  inventoryItem,
  inventoryItemRole,
  inventoryItemTemplate,
  location,
  macAddress,
  manufacturer,
  module,
  moduleBay,
  moduleBayTemplate,
  moduleType,
  moduleTypeProfile,
  networkInterface,
  platform,
  powerFeed,
  powerOutlet,
  powerOutletTemplate,
  powerPanel,
  powerPort,
  powerPortTemplate,
  rack,
  rackGroup,
  rackReservation,
  rackRole,
  rackType,
  rearPort,
  rearPortTemplate,
  region,
  site,
  siteGroup,
  virtualChassis,
  virtualDeviceContext,
];

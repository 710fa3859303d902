import type { ModelDefinition } from '../../engine/declaration/define-model.js';
import { cableModel } from './cable.js';
import { cableBundleModel } from './cable-bundle.js';
import { cableTerminationModel } from './cable-termination.js';
import { consolePortModel } from './console-port.js';
import { consolePortTemplateModel } from './console-port-template.js';
import { consoleServerPortModel } from './console-server-port.js';
import { consoleServerPortTemplateModel } from './console-server-port-template.js';
import { deviceModel } from './device.js';
import { deviceBayModel } from './device-bay.js';
import { deviceBayTemplateModel } from './device-bay-template.js';
import { deviceRoleModel } from './device-role.js';
import { deviceTypeModel } from './device-type.js';
import { frontPortModel } from './front-port.js';
import { frontPortTemplateModel } from './front-port-template.js';
import { networkInterfaceModel } from './interface.js';
import { interfaceTemplateModel } from './interface-template.js';
import { inventoryItemModel } from './inventory-item.js';
import { inventoryItemRoleModel } from './inventory-item-role.js';
import { inventoryItemTemplateModel } from './inventory-item-template.js';
import { locationModel } from './location.js';
import { macAddressModel } from './mac-address.js';
import { manufacturerModel } from './manufacturer.js';
import { moduleModel } from './module.js';
import { moduleBayModel } from './module-bay.js';
import { moduleBayTemplateModel } from './module-bay-template.js';
import { moduleTypeModel } from './module-type.js';
import { moduleTypeProfileModel } from './module-type-profile.js';
import { platformModel } from './platform.js';
import { powerFeedModel } from './power-feed.js';
import { powerOutletModel } from './power-outlet.js';
import { powerOutletTemplateModel } from './power-outlet-template.js';
import { powerPanelModel } from './power-panel.js';
import { powerPortModel } from './power-port.js';
import { powerPortTemplateModel } from './power-port-template.js';
import { rackModel } from './rack.js';
import { rackGroupModel } from './rack-group.js';
import { rackReservationModel } from './rack-reservation.js';
import { rackRoleModel } from './rack-role.js';
import { rackTypeModel } from './rack-type.js';
import { rearPortModel } from './rear-port.js';
import { rearPortTemplateModel } from './rear-port-template.js';
import { regionModel } from './region.js';
import { siteModel } from './site.js';
import { siteGroupModel } from './site-group.js';
import { virtualChassisModel } from './virtual-chassis.js';
import { virtualDeviceContextModel } from './virtual-device-context.js';

/** All models of the app `dcim`. */
export const dcimModels: readonly ModelDefinition[] = [
  cableModel,
  cableBundleModel,
  cableTerminationModel,
  consolePortModel,
  consolePortTemplateModel,
  consoleServerPortModel,
  consoleServerPortTemplateModel,
  deviceModel,
  deviceBayModel,
  deviceBayTemplateModel,
  deviceRoleModel,
  deviceTypeModel,
  frontPortModel,
  frontPortTemplateModel,
  interfaceTemplateModel,
  inventoryItemModel,
  inventoryItemRoleModel,
  inventoryItemTemplateModel,
  locationModel,
  macAddressModel,
  manufacturerModel,
  moduleModel,
  moduleBayModel,
  moduleBayTemplateModel,
  moduleTypeModel,
  moduleTypeProfileModel,
  networkInterfaceModel,
  platformModel,
  powerFeedModel,
  powerOutletModel,
  powerOutletTemplateModel,
  powerPanelModel,
  powerPortModel,
  powerPortTemplateModel,
  rackModel,
  rackGroupModel,
  rackReservationModel,
  rackRoleModel,
  rackTypeModel,
  rearPortModel,
  rearPortTemplateModel,
  regionModel,
  siteModel,
  siteGroupModel,
  virtualChassisModel,
  virtualDeviceContextModel,
];

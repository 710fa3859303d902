/**
 * References that the race suite omits, because the service rejects bodies made from the fixtures. Either a rule
 * relates both objects to a third object, or the fixtures of both models have an equal unique value. The values are the
 * referenced models, by the name `<app>.<model>.<field>` of the reference.
 */
export const omittedReferences: Readonly<Record<string, readonly string[]>> = {
  'circuits.virtualcircuit.provider_account': ['circuits.provideraccount'],
  'circuits.virtualcircuittermination.interface': ['dcim.interface'],
  'dcim.device.oob_ip': ['ipam.ipaddress'],
  'dcim.device.primary_ip4': ['ipam.ipaddress'],
  'dcim.device.primary_ip6': ['ipam.ipaddress'],
  'dcim.devicebay.device': ['dcim.device'],
  'dcim.devicebay.installed_device': ['dcim.device'],
  'dcim.devicebaytemplate.device_type': ['dcim.devicetype'],
  'dcim.inventoryitemtemplate.component': ['dcim.poweroutlettemplate', 'dcim.powerporttemplate'],
  'dcim.module.device': ['dcim.device'],
  'dcim.powerfeed.rack': ['dcim.rack'],
  'dcim.poweroutlettemplate.power_port': ['dcim.powerporttemplate'],
  'dcim.virtualdevicecontext.primary_ip4': ['ipam.ipaddress'],
  'dcim.virtualdevicecontext.primary_ip6': ['ipam.ipaddress'],
  'extras.configcontext.tags': ['extras.tag'],
  'extras.eventrule.action_object': ['extras.chatdestination'],
  'extras.imageattachment.parent': [
    'circuits.circuit',
    'dcim.device',
    'dcim.devicetype',
    'dcim.location',
    'dcim.moduletype',
    'dcim.powerpanel',
    'dcim.rack',
    'dcim.racktype',
    'dcim.site',
    'virtualization.virtualmachine',
    'virtualization.virtualmachinetype',
  ],
  'virtualization.virtualmachine.primary_ip4': ['ipam.ipaddress'],
  'virtualization.virtualmachine.primary_ip6': ['ipam.ipaddress'],
};

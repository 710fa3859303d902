/** Labels of the Power over Ethernet modes of an interface, by stored value. */
export const powerOverEthernetModes = { pd: 'PD', pse: 'PSE' };

/** Labels of the Power over Ethernet standards of an interface, by stored value. */
export const powerOverEthernetTypes = {
  'type1-ieee802.3af': '802.3af (Type 1)',
  'type2-ieee802.3at': '802.3at (Type 2)',
  'type3-ieee802.3bt': '802.3bt (Type 3)',
  'type4-ieee802.3bt': '802.3bt (Type 4)',
  'passive-24v-2pair': 'Passive 24V (2-pair)',
  'passive-24v-4pair': 'Passive 24V (4-pair)',
  'passive-48v-2pair': 'Passive 48V (2-pair)',
  'passive-48v-4pair': 'Passive 48V (4-pair)',
};

/** Labels of the roles of a wireless interface, by stored value. */
export const wirelessRoles = { ap: 'Access point', station: 'Station' };

import { choiceField } from '../../engine/field-types/choice.js';
import { encryptedTextField } from '../../engine/field-types/secret-field.js';

/** Labels of the authentication types of wireless networks, by stored value. */
const authenticationTypes = {
  open: 'Open',
  wep: 'WEP',
  'wpa-personal': 'WPA Personal (PSK)',
  'wpa-enterprise': 'WPA Enterprise',
};

/** Labels of the ciphers of wireless networks, by stored value. */
const authenticationCiphers = { auto: 'Auto', tkip: 'TKIP', aes: 'AES' };

/** Fields with the authentication settings of a wireless network or wireless link. */
export const authenticationFields = {
  auth_type: choiceField(authenticationTypes, { nullable: true }),
  auth_cipher: choiceField(authenticationCiphers, { nullable: true }),
  auth_psk: encryptedTextField({ max: 64, label: 'pre-shared key' }),
};

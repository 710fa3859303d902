import { choiceField } from '../../engine/field-types/choice.js';
import { encryptedTextField } from '../../engine/field-types/secret-field.js';

/** Labels of the authentication types of wireless networks, by stored value. */
const wirelessAuthenticationTypes = {
  open: 'Open',
  wep: 'WEP',
  'wpa-personal': 'WPA Personal (PSK)',
  'wpa-enterprise': 'WPA Enterprise',
};

/** Labels of the ciphers of wireless networks, by stored value. */
const wirelessAuthenticationCiphers = { auto: 'Auto', tkip: 'TKIP', aes: 'AES' };

/** Fields with the authentication settings of a wireless network or wireless link. */
export const wirelessAuthenticationFields = {
  auth_type: choiceField(wirelessAuthenticationTypes, { nullable: true }),
  auth_cipher: choiceField(wirelessAuthenticationCiphers, { nullable: true }),
  auth_psk: encryptedTextField({ max: 64, label: 'pre-shared key' }),
};

import { describe, expect, it } from 'vitest';
import { findUnicodeEmojiByCode, findUnicodeEmojiByName, allUnicodeEmoji } from './unicode-emoji.js';

describe('allUnicodeEmoji', () => {
  it.each([
    ['+1', '1f44d'],
    ['thumbs_up', '1f44d'],
    ['octopus', '1f419'],
    ['tada', '1f389'],
    ['heart', '2764'],
    ['hash', '0023-20e3'],
    ['smile', '1f642'],
    ['grinning_face_with_smiling_eyes', '1f604'],
  ])('contains the emoji %s with the code %s', (name, code) => {
    expect(findUnicodeEmojiByName(name)?.code).toBe(code);
    expect(findUnicodeEmojiByCode(code)?.names).toContain(name);
  });

  it('contains only valid names and a hexadecimal code for each emoji', () => {
    expect(allUnicodeEmoji.length).toBeGreaterThan(1800);
    for (const { code, names } of allUnicodeEmoji) {
      expect(code).toMatch(/^[0-9a-f]{4,5}(-[0-9a-f]{4,5})*$/);
      for (const name of names) expect(name).toMatch(/^[a-z0-9+_-]+$/);
    }
  });
});

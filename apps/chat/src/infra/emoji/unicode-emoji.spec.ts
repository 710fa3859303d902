import { describe, expect, it } from 'vitest';
import { findEmojiByCode, findEmojiByName, unicodeEmoji } from './unicode-emoji.js';

describe('unicodeEmoji', () => {
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
    expect(findEmojiByName(name)?.code).toBe(code);
    expect(findEmojiByCode(code)?.names).toContain(name);
  });

  it('contains a hexadecimal code for each emoji, and names of lowercase letters, digits, plus, minus and underscore', () => {
    expect(unicodeEmoji.length).toBeGreaterThan(1800);
    for (const { code, names } of unicodeEmoji) {
      expect(code).toMatch(/^[0-9a-f]{4,5}(-[0-9a-f]{4,5})*$/);
      for (const name of names) expect(name).toMatch(/^[a-z0-9+_-]+$/);
    }
  });
});

import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const css = readFileSync(new URL('tokens.css', import.meta.url), 'utf8')

/** The backgrounds for every text color. Some text colors are also used on a tint. */
const GROUNDS = ['frame', 'card', 'field', 'hover', 'selected']
const TEXTS = ['ink', 'quiet']
const TINTED = ['agent', 'route', 'socket', 'resource', 'good', 'bad', 'busy', 'warn', 'quiet']
const CODE = ['code-key', 'code-string', 'code-number', 'code-word']

const PAIRS: readonly (readonly [text: string, ground: string])[] = [
  ...TEXTS.flatMap((text) => GROUNDS.map((ground) => [text, ground] as const)),
  ...TINTED.flatMap((text) => [...GROUNDS, `${text}-tint`].map((ground) => [text, ground] as const)),
  ...TINTED.map((name) => ['ink', `${name}-tint`] as const),
  ...['bad', 'warn'].map((name) => ['quiet', `${name}-tint`] as const),
  ...CODE.flatMap((text) => ['card', 'field', 'hover'].map((ground) => [text, ground] as const)),
  ...['accent', 'accent-hover', 'bad'].map((ground) => ['on-accent', ground] as const),
]

describe('tokens.css', () => {
  it.each(['light', 'dark'] as const)(
    'has %s text with a contrast of at least 4.5 : 1 on every background',
    (theme) => {
      const colors = readColors(theme)
      const poor = PAIRS.map(([text, ground]) => ({
        text,
        ground,
        ratio: contrast(colors.get(text) ?? '', colors.get(ground) ?? ''),
      })).filter(({ ratio }) => !(ratio >= 4.5))
      expect(poor).toEqual([])
    },
  )

  it('has the same colors in both themes', () => {
    expect([...readColors('dark').keys()].toSorted()).toEqual([...readColors('light').keys()].toSorted())
  })
})

/** Reads colors such as `--name: light-dark(#light, #dark)`. A single hex value exists only in the light theme. */
function readColors(theme: 'light' | 'dark'): Map<string, string> {
  const found = css.matchAll(/--([\w-]+): (?:light-dark\()?(#[\da-f]{6})(?:, (#[\da-f]{6})\))?;/g)
  return new Map(
    [...found].flatMap(([, name = '', light, dark]) => {
      const hex = theme === 'light' ? light : dark
      return hex === undefined ? [] : [[name, hex] as const]
    }),
  )
}

/** Returns the contrast ratio as defined by WCAG 2. */
function contrast(one: string, other: string): number {
  const [darker = Number.NaN, lighter = Number.NaN] = [luminance(one), luminance(other)].toSorted((a, b) => a - b)
  return (lighter + 0.05) / (darker + 0.05)
}

function luminance(hex: string): number {
  const [red = Number.NaN, green = Number.NaN, blue = Number.NaN] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255
    return part <= 0.040_45 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

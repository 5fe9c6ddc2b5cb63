import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@sdk/test-kit'
import { afterAll, describe, expect, it } from 'vitest'
import { readPackage } from '../../scripts/reference/entry.ts'
import { withoutDefault, withoutMeaning, withoutSentence } from '../../scripts/reference/faults.ts'
import { toPage } from '../../scripts/reference/page.ts'

const folder = temporaryFolder('reference')
afterAll(() => folder.remove())
let planted = 0

/** A workspace with one package of one file. */
function plant(source: string) {
  const root = join(folder.path, String(planted++))
  const at = join(root, 'packages/shed')
  mkdirSync(join(at, 'src'), { recursive: true })
  writeFileSync(join(at, 'src/index.ts'), source)
  const exports = { '.': { '@sdk/source': './src/index.ts' } }
  writeFileSync(join(at, 'package.json'), JSON.stringify({ name: '@sdk/shed', description: 'A shed', exports }))
  return { root, shed: readPackage(root, 'shed') }
}

describe('withoutSentence', () => {
  it('finds an export without a comment', () => {
    const { shed } = plant('/** Opens it. */\nexport function open(): void {}\nexport function shut(): void {}\n')
    expect(withoutSentence(shed)).toEqual(['@sdk/shed: shut'])
  })
})

describe('withoutMeaning', () => {
  it('finds an option that has only a default', () => {
    const { shed } = plant(
      '/** Options. */\nexport interface DoorOptions {\n  /** @default 1 */\n  width?: number\n}\n',
    )
    expect(withoutMeaning(shed)).toEqual(['@sdk/shed: DoorOptions.width'])
  })
})

describe('withoutDefault', () => {
  const options = (comment: string) =>
    `/** Options. */\nexport interface Options {\n  /** ${comment} */\n  width?: number\n}\n`

  it.each([
    ['destructured', 'function open(options: Options = {}) { const { width = 1024 } = options; return width }'],
    ['destructured in the signature', 'function open({ width = 1024 }: Options = {}) { return width }'],
    ['applied with ??', 'function open(options: Options) { return options.width ?? 1024 }'],
    ['stored in a constant', 'const KIB = 1024\nconst DEFAULTS: Options = { width: 1 * KIB }'],
  ])('checks a default that is %s', (_, code) => {
    const missing = plant(options('Its width.') + code)
    expect(withoutDefault(missing.root, missing.shed)).toHaveLength(1)
    const wrong = plant(options('Its width. @default 1_025') + code)
    expect(withoutDefault(wrong.root, wrong.shed)).toHaveLength(1)
    for (const right of ['1024', '1_024', '1 KiB', 'as wide as it gets']) {
      const { root, shed } = plant(options(`Its width. @default ${right}`) + code)
      expect(withoutDefault(root, shed), right).toEqual([])
    }
  })
})

describe('toPage', () => {
  it('shows signatures, options with their defaults, and their types', () => {
    const { root, shed } = plant(
      [
        '/** What `open` takes. */',
        "export interface OpenOptions {\n  /** How far: `'half' | 'full'`. @default 'full' */\n  far?: 'half' | 'full' | undefined\n}",
        '/** A door. */',
        'export interface Door {\n  /** Shuts it. */\n  shut(softly?: boolean): void\n}',
        '/**\n * Opens a door.\n * @example const door = open()\n */',
        'export function open({ far }: OpenOptions = {}): Door { return { shut() {} } }',
      ].join('\n'),
    )
    const page = toPage(root, shed)
    expect(page).toContain('open(options?: OpenOptions): Door')
    expect(page).toContain("| `far?` | `'half' \\| 'full'` | `'full'` | How far: `'half' \\| 'full'`. |")
    expect(page).toContain('| `shut(softly?)` | `void` | Shuts it. |')
    expect(page).toContain('const door = open()')
    expect(page.indexOf('## open')).toBeLessThan(page.indexOf('### OpenOptions'))
  })
})

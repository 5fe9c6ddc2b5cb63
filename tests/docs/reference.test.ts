import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { withoutDefault, withoutMeaning, withoutSentence } from '../../scripts/reference/faults.ts'
import { makePages, readPackages } from '../../scripts/reference/pages.ts'

const root = join(import.meta.dirname, '../..')
const packages = readPackages(root)
const pages = await makePages(root)

describe('reference pages of packages', () => {
  it('are up to date (run `npm run reference`)', () => {
    for (const [path, text] of pages)
      expect(existsSync(join(root, path)) && readFileSync(join(root, path), 'utf8'), path).toBe(text)
  })

  it('exist for every published package', () => {
    const published = readdirSync(join(root, 'packages')).filter((folder) => {
      const manifest = JSON.parse(readFileSync(join(root, 'packages', folder, 'package.json'), 'utf8')) as object
      return !('private' in manifest)
    })
    expect(packages.map(({ folder }) => folder).toSorted()).toEqual(published.toSorted())
  })

  it('have unique anchors', () => {
    for (const [path, text] of pages) {
      const anchors = Array.from(text.matchAll(/^#+ (.+)$/gm), ([, heading = '']) => heading.toLowerCase())
      expect(
        anchors.filter((anchor, index) => anchors.indexOf(anchor) < index),
        path,
      ).toEqual([])
    }
  })
})

describe.each(packages)('$name', (one) => {
  it('describes every export', () => expect(withoutSentence(one)).toEqual([]))
  it('describes every option', () => expect(withoutMeaning(one)).toEqual([]))
  it('documents every default of an option', () => expect(withoutDefault(root, one)).toEqual([]))
})

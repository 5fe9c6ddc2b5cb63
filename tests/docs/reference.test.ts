import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { withoutDefault, withoutMeaning, withoutSentence } from '../../scripts/reference/faults.ts'
import { makePages, readPackages } from '../../scripts/reference/pages.ts'

const root = join(import.meta.dirname, '../..')
const packages = readPackages(root)
const pages = await makePages(root)

describe('the pages of packages', () => {
  it('are what the sources say: else `npm run reference`', () => {
    for (const [path, text] of pages)
      expect(existsSync(join(root, path)) && readFileSync(join(root, path), 'utf8'), path).toBe(text)
  })

  it('are there for every package that is published', () => {
    const published = readdirSync(join(root, 'packages')).filter((folder) => {
      const manifest = JSON.parse(readFileSync(join(root, 'packages', folder, 'package.json'), 'utf8')) as object
      return !('private' in manifest)
    })
    expect(packages.map(({ folder }) => folder).toSorted()).toEqual(published.toSorted())
  })

  it('have no two headings with one anchor', () => {
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
  it('says of every export what it is for', () => expect(withoutSentence(one)).toEqual([]))
  it('says of every option what it is for', () => expect(withoutMeaning(one)).toEqual([]))
  it('says the default of every option that has one', () => expect(withoutDefault(root, one)).toEqual([]))
})

import { describe, expect, it } from 'vitest'
import { CONTENTS, entriesOf, parseContents } from '../../docs/site/contents.ts'
import { findAllPages, readPage } from './check/page.ts'

describe('docs/README.md', () => {
  const sources = entriesOf(parseContents(readPage(CONTENTS).text)).map(({ source }) => source)

  it('lists every page once', () => {
    const pages = findAllPages().filter((path) => path !== 'README.md' && path !== CONTENTS)
    expect(sources.toSorted()).toEqual(pages.toSorted())
  })
})

import { describe, expect, it } from 'vitest'
import { checkLinks } from './check/links.ts'
import { findAllPages, readPage } from './check/page.ts'

describe('links of a page', () => {
  it.each(findAllPages())('are valid: %s', (path) => {
    expect(checkLinks(readPage(path))).toEqual([])
  })
})

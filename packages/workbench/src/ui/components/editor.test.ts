import { describe, expect, it } from 'vitest'
import { toEditorLink } from './editor.ts'

const PLACE = { file: 'src/agent/a b/index.ts', line: 5, column: 3 }

describe('toEditorLink', () => {
  it('returns a link to the editor with the absolute path', () => {
    expect(toEditorLink('vscode', '/home/me/app', PLACE)).toBe('vscode://file/home/me/app/src/agent/a%20b/index.ts:5:3')
    expect(toEditorLink('zed', '/home/me/app', { file: '/else/x.ts' })).toBe('zed://file/else/x.ts:1:1')
    expect(toEditorLink('webstorm', '/app', PLACE)).toBe(
      'webstorm://open?file=%2Fapp%2Fsrc%2Fagent%2Fa%20b%2Findex.ts&line=5&column=3',
    )
  })

  it('supports Windows paths', () => {
    expect(toEditorLink('cursor', 'C:\\app', { file: 'src\\a.ts', line: 2 })).toBe('cursor://file/C:/app/src/a.ts:2:1')
    expect(toEditorLink('cursor', '', { file: 'C:\\app\\a.ts' })).toBe('cursor://file/C:/app/a.ts:1:1')
  })

  it('returns null without an editor or if the project is unknown', () => {
    expect(toEditorLink('none', '/app', PLACE)).toBeNull()
    expect(toEditorLink('vscode', '', PLACE)).toBeNull()
  })
})

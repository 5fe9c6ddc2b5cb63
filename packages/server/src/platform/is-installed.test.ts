import { afterEach, expect, it, vi } from 'vitest'
import { isInstalled } from './is-installed.ts'

afterEach(() => vi.restoreAllMocks())

it('finds packages, also those that do not export their package.json', () => {
  expect(['vitest', 'ai', 'no-such-package'].map(isInstalled)).toEqual([true, true, false])
})

it('finds nothing outside of a project', () => {
  vi.spyOn(process, 'cwd').mockReturnValue('/')
  vi.spyOn(process, 'argv', 'get').mockReturnValue(['node'])
  expect(isInstalled('vitest')).toBe(false)
})

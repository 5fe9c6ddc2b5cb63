import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@sdk/test-kit'
import { describe, expect, it } from 'vitest'
import { systemFailure } from './system-failure.ts'

const { path } = temporaryFolder('system')

describe('systemFailure', () => {
  it('adds the fix if a file cannot be read or written', () => {
    mkdirSync(join(path, 'folder'))
    expect(systemFailure(thrown(() => readFileSync(join(path, 'folder'))))).toMatchObject({
      code: 'SYSTEM_REFUSED',
      message: 'EISDIR: illegal operation on a directory, read',
      fix: 'a folder exists where a file is expected: move it',
    })
    // A Linux device that is always full.
    const full = systemFailure(thrown(() => writeFileSync('/dev/full', 'text')))
    expect(full).toMatchObject({
      message: 'ENOSPC: no space left on device, write',
      fix: expect.stringContaining('df -h'),
    })
  })

  it('distinguishes the limit of watched files from a full disk', () => {
    const error = Object.assign(new Error('ENOSPC: System limit for number of file watchers reached, watch'), {
      code: 'ENOSPC',
      syscall: 'watch',
    })
    expect(systemFailure(error)?.fix).toContain('max_user_watches')
    const other = Object.assign(new Error("EACCES: permission denied, open '/home/ada/watches/src/sdk-routes.d.ts'"), {
      code: 'EACCES',
      syscall: 'open',
    })
    expect(systemFailure(other)?.fix).toContain('ls -l')
  })

  it('parses system errors of the bundler', () => {
    const text = `Build failed with 1 error:

Something went wrong inside rolldown, please report this problem at https://github.com/rolldown/rolldown/issues.
Failed to write file in /app/dist/index.js

Caused by:
    No space left on device (os error 28)

Stack backtrace:
   0: <unknown>`
    expect(systemFailure(new Error(text))).toMatchObject({
      message: 'Failed to write file in /app/dist/index.js: No space left on device',
      fix: expect.stringContaining('df -h'),
    })
  })

  it.each([new Error('mine'), 'text', null, Object.assign(new Error('gone'), { code: 'ENOENT', syscall: 'open' })])(
    'returns null for %s',
    (error) => {
      expect(systemFailure(error)).toBeNull()
    },
  )
})

function thrown(work: () => unknown): unknown {
  try {
    return work()
  } catch (error) {
    return error
  }
}

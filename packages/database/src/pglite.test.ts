import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@sdk/test-kit'
import { afterAll, describe, expect, it } from 'vitest'
import { openDatabase } from './open.ts'

const folder = temporaryFolder('pglite')
afterAll(() => folder.remove())

describe('pglite://directory', () => {
  it('is one database for all who open it in a process, and still there when opened again', async () => {
    const url = `pglite://${join(folder.path, 'deep/data')}`
    const first = openDatabase(url)
    const second = openDatabase(url)
    await first.query('create table notes (text text)')
    await second.query(`insert into notes values ('kept')`)
    await first.close()
    expect(await second.query('select text from notes')).toEqual([{ text: 'kept' }])
    await second.close()

    const later = openDatabase(url)
    expect(await later.query('select text from notes')).toEqual([{ text: 'kept' }])
    await later.close()
  }, 90_000)

  it('begins anew where the first opening was cut off, and nowhere else', async () => {
    const directory = join(folder.path, 'cut-off')
    mkdirSync(directory)
    writeFileSync(join(directory, 'PG_VERSION'), 'half')
    writeFileSync(`${directory}.new`, '')
    const database = openDatabase(`pglite://${directory}`)
    expect(await database.query('select 1 as one')).toEqual([{ one: 1 }])
    await database.close()
    expect(existsSync(`${directory}.new`)).toBe(false)
  })

  it('says why it cannot open, every time it is asked', async () => {
    const file = join(folder.path, 'a-file')
    writeFileSync(file, '')
    const database = openDatabase(`pglite://${file}/data`)
    await expect(database.ready()).rejects.toThrow(file)
    await expect(database.pool.query('select 1')).rejects.toThrow(file)
    await database.close()
  })
})

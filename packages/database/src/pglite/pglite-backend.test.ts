import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@sdk/test-kit'
import { afterAll, describe, expect, it } from 'vitest'
import { openDatabase } from '../open-database.ts'

const folder = temporaryFolder('pglite')
const MARK = '.sdk-unfinished'
afterAll(() => folder.remove())

describe('pglite://directory', () => {
  it('is shared within a process, even through a link, and keeps its data', async () => {
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
    symlinkSync(folder.path, join(folder.path, 'link'))
    const linked = openDatabase(`pglite://${join(folder.path, 'link/deep/data')}`)
    expect(await linked.query('select text from notes')).toEqual([{ text: 'kept' }])
    await Promise.all([later.close(), linked.close()])
  })

  it('is created again only if its creation was interrupted', async () => {
    const directory = join(folder.path, 'cut-off')
    const url = `pglite://${directory}`
    mkdirSync(directory)
    // Reads the marker file that exists while a database is created in an existing directory.
    const first = openDatabase(url)
    const opening = first.ready()
    await expect.poll(() => existsSync(join(directory, MARK)), { interval: 1 }).toBe(true)
    const mark = readFileSync(join(directory, MARK))
    await opening
    await first.close()
    expect(existsSync(join(directory, MARK))).toBe(false)

    writeFileSync(join(directory, MARK), mark)
    writeFileSync(join(directory, 'PG_VERSION'), 'half')
    const again = openDatabase(url)
    await again.query('create table kept (one int)')
    await again.close()
    expect(existsSync(join(directory, MARK))).toBe(false)

    // Another file or folder with such a name, in the directory or next to it, is not a marker.
    const others = [`${directory}.new`, join(directory, MARK)]
    for (const make of [(other: string) => writeFileSync(other, ''), mkdirSync]) {
      for (const other of others) make(other)
      const later = openDatabase(url)
      expect(await later.query('select * from kept')).toEqual([])
      await later.close()
      for (const other of others) rmSync(other, { recursive: true })
    }
  })

  it('rejects with an error that names the directory if it cannot be opened', async () => {
    const directory = join(folder.path, 'odd')
    mkdirSync(directory)
    writeFileSync(join(directory, 'PG_VERSION'), '17')
    const database = openDatabase(`pglite://${directory}`)
    const error = await database.ready().catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(Error)
    expect((error as Error).message).toContain(directory)
    await database.close()
  })

  it('rejects every call with the reason if it cannot be opened', async () => {
    const file = join(folder.path, 'a-file')
    writeFileSync(file, '')
    const database = openDatabase(`pglite://${file}/data`)
    await expect(database.ready()).rejects.toThrow(file)
    await expect(database.pool.query('select 1')).rejects.toThrow(file)
    await database.close()
  })
})

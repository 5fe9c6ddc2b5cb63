/** Shows plain routes, a custom table, and uploads: limits, ownership, and a safe download. */
import { migrate } from '@sdk/database'
import { ApiError, createRouter, readForm, type Context } from '@sdk/server'
import { z } from 'zod'
import { database } from '../database.ts'

const MAX_BYTES = 2 * 1024 * 1024
const MAX_FILES = 20

/** The metadata of a file. */
interface FileRow {
  id: number
  name: string
  type: string
  size: number
}

const COLUMNS = 'id, name, type, size'
const params = z.object({ id: z.coerce.number().int().positive() })

/** The routes under `/api/files`. File contents are stored in the database too. */
export const files = createRouter()
  .on('GET /', async (ctx) => {
    const rows = await ask<FileRow>(`select ${COLUMNS} from files where owner_id = $1 order by id desc`, [
      await ownerOf(ctx),
    ])
    return { files: rows, maxBytes: MAX_BYTES, maxFiles: MAX_FILES }
  })
  .on('POST /', async (ctx) => {
    const owner = await ownerOf(ctx)
    const file = (await readForm(ctx.request, MAX_BYTES + 10_000)).get('file') // plus the form itself
    if (!(file instanceof File)) throw new ApiError('INVALID_REQUEST', 'Send one file in the field "file"')
    if (file.size > MAX_BYTES) throw new ApiError('CONTENT_TOO_LARGE', `A file can have at most ${MAX_BYTES} bytes`)
    const bytes = Buffer.from(await file.arrayBuffer())
    const [kept] = await ask<FileRow>(
      `insert into files (owner_id, name, type, size, bytes) select $1, $2, $3, $4, $5
       where (select count(*) from files where owner_id = $1) < $6 returning ${COLUMNS}`,
      [owner, file.name.slice(0, 200), file.type.slice(0, 100), file.size, bytes, MAX_FILES],
    )
    if (kept === undefined) throw new ApiError('CONFLICT', `You can store at most ${MAX_FILES} files. Delete one first`)
    return kept
  })
  .on('GET /:id/content', {
    params,
    handler: async (ctx) => {
      const [file] = await ask<{ name: string; bytes: Buffer }>(
        'select name, bytes from files where id = $1 and owner_id = $2',
        [ctx.params.id, await ownerOf(ctx)],
      )
      if (file === undefined) throw new ApiError('NOT_FOUND', 'File not found')
      // Always an attachment: an uploaded HTML file must not run on our origin.
      return new Response(new Uint8Array(file.bytes), {
        headers: {
          'content-type': 'application/octet-stream',
          'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(file.name)}`,
        },
      })
    },
  })
  .on('DELETE /:id', {
    params,
    handler: async (ctx) => {
      const [gone] = await ask<FileRow>(`delete from files where id = $1 and owner_id = $2 returning ${COLUMNS}`, [
        ctx.params.id,
        await ownerOf(ctx),
      ])
      if (gone === undefined) throw new ApiError('NOT_FOUND', 'File not found')
      return gone
    },
  })

async function ownerOf(ctx: Pick<Context, 'auth'>): Promise<string> {
  const user = await ctx.auth?.getUser()
  if (!user) throw new ApiError('UNAUTHORIZED', 'Sign in to store files')
  return user.id
}

let table: Promise<unknown> | undefined

/** Queries the table, which is created on first use. */
async function ask<Row>(sql: string, values: readonly unknown[]): Promise<Row[]> {
  await (table ??= makeTable())
  return database.query<Row>(sql, values)
}

/**
 * Creates the table under a lock, since several processes may start concurrently. After a failure, the next query
 * retries.
 */
function makeTable(): Promise<unknown> {
  const making = migrate(database, 'files', (transaction) =>
    transaction.query(`create table if not exists files (
      id integer generated always as identity primary key, owner_id text not null, name text not null,
      type text not null, size integer not null, bytes bytea not null, created_at timestamptz not null default now()
    )`),
  )
  making.catch(() => (table = undefined))
  return making
}

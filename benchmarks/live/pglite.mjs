// Live lists with `live.query` of PGlite in one process. A change is answered when all of its lists have been updated.
import { createServer } from 'node:http'
import { PGlite } from '@electric-sql/pglite'
import { live } from '@electric-sql/pglite/live'
import { report } from '../harness/report.mjs'
import { fill } from './shape.mjs'

const lists = Number(process.env.BENCH_SUBSCRIBERS ?? 100)
const database = await PGlite.create({ extensions: { live } })
await database.exec(`create table tasks (
  id bigserial primary key, title text not null, notes text not null, list_id bigint not null,
  priority bigint not null, done boolean not null, version bigint not null default 1,
  created_at timestamptz not null default now(), updated_at timestamptz not null default now()
);
create index on tasks (priority, id);
${fill('tasks', Number(process.env.BENCH_LISTS ?? 50))}`)
const UPDATE = 'update tasks set title = $2, version = version + 1, updated_at = now() where id = $1'
const PAGE = 'select * from tasks where priority >= $1 order by id limit 21'
let missing = 0
let finish = () => {}
for (let index = 0; index < lists; index++)
  await database.live.query(PAGE, [-index], () => {
    if (--missing === 0) finish()
  })
const http = createServer((request, response) => {
  let body = ''
  request.on('data', (chunk) => (body += chunk))
  request.on('end', async () => {
    const all = new Promise((resolve) => (finish = resolve))
    missing = lists
    await database.query(UPDATE, [request.url.split('/').at(-1), JSON.parse(body).title])
    await all
    response.setHeader('content-type', 'application/json').end('{}')
  })
})
await new Promise((resolve) => http.listen(0, '127.0.0.1', resolve))
report(http.address().port)

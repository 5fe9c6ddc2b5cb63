import pg from 'pg'
import { loadavg } from 'node:os'
import { startPostgres } from '@sdk/test-kit'
import { pin, CORE } from './harness/server-process.ts'
pin(process.pid, CORE.load)
const p = await startPostgres({ settings: ['fsync=on', 'full_page_writes=on'] })
pin(process.pid, CORE.server)
const url = await p.createDatabase()
const pool = new pg.Pool({ connectionString: url, max: 10 })
await pool.query(`create table plain (id bigserial primary key, title text, notes text, priority int); create table live (like plain including all);
create function f() returns trigger language plpgsql as $$ declare ids text; begin select string_agg(id::text, ',') into ids from (select id from n limit 201) c; if ids is not null then perform pg_notify('sdk_live','live '||ids); end if; return null; end $$;
create trigger t after insert on live referencing new table as n for each statement execute function f()`)
const flushOnce = () => pool.query({name:'flush', text:`select pg_logical_emit_message(true,'sdk','')`})
function make(k: number) {
  let running = 0; let waiting: (()=>void)[] = []
  const run = async () => { running++; const mine = waiting; waiting = []; await flushOnce(); running--; for (const w of mine) w(); if (waiting.length) void run() }
  return () => new Promise<void>((r) => { waiting.push(r); if (running < k) queueMicrotask(() => { if (waiting.length && running < k) void run() }) })
}
const g = {name:'g', text:`insert into live (title,notes,priority) values ('a','b',1) returning id, set_config('synchronous_commit','off',true)`}
const f1 = make(1), f2 = make(2), f3 = make(3)
const modes: Record<string, ()=>Promise<unknown>> = {
  plain: () => pool.query({name:'p', text:`insert into plain (title,notes,priority) values ('a','b',1) returning id`}),
  live: () => pool.query({name:'l', text:`insert into live (title,notes,priority) values ('a','b',1) returning id`}),
  k1: () => pool.query(g).then(f1), k2: () => pool.query(g).then(f2), k3: () => pool.query(g).then(f3), all: () => pool.query(g).then(flushOnce),
}
for (const w of [1, 2, 16]) {
  const sum: Record<string, number> = {}
  for (let r=0;r<10;r++) for (const [n,f] of Object.entries(modes)) {
    const t=performance.now(); let c=0
    await Promise.all(Array.from({length:w}, async()=>{ for(;performance.now()-t<250;c++) await f() }))
    if (r > 0) sum[n] = (sum[n] ?? 0) + c/((performance.now()-t)/1000)/9
  }
  console.log(w, Object.entries(sum).map(([n,v])=>`${n} ${v.toFixed(0)} (${(v/sum.plain).toFixed(2)})`).join(' '), 'load', loadavg()[0])
}
await pool.end(); await p.stop()

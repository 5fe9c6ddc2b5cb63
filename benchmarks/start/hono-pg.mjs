import { serve } from '@hono/node-server'
import { zValidator } from '@hono/zod-validator'
import { Hono } from 'hono'
import pg from 'pg'
import { z } from 'zod'

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL })
await pool.query('create table if not exists notes (id text primary key, text text not null)')

const app = new Hono()
app.get('/api/status', (context) => context.json({ status: 'ok' }))
app.get('/api/v1/notes', async (context) => context.json((await pool.query('select * from notes limit 20')).rows))
app.post('/api/v1/notes', zValidator('json', z.object({ text: z.string() })), async (context) => {
  const { text } = context.req.valid('json')
  const values = [crypto.randomUUID(), text]
  const { rows } = await pool.query('insert into notes (id, text) values ($1, $2) returning *', values)
  return context.json(rows[0], 201)
})
serve({ fetch: app.fetch, port: Number(process.env.PORT), hostname: '127.0.0.1' })

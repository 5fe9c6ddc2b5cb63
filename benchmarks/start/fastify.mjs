import Fastify from 'fastify'

const app = Fastify()
app.get('/api/status', () => ({ status: 'ok' }))
await app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' })

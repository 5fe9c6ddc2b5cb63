import { createRouter } from '@sdk/server'

const started = new Date().toISOString()

export default createRouter().on('GET /api/status', () => ({ status: 'ok', started }))

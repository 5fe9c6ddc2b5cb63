import { createRouter } from '@sdk/server'
import { database } from '../database.ts'
import { tasks } from './tasks.ts'

export default createRouter()
  .on('GET /api/status', () => ({ status: 'ok', database: database.kind }))
  .resource('v1', tasks)

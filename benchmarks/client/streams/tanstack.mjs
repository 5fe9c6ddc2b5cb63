import { stageQuery } from './streamed-query.mjs'

stageQuery({})

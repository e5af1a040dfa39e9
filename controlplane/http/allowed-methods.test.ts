import Fastify from 'fastify';
import { expect, it } from 'vitest';
import { collectAllowedMethods } from './error-answers.js';

it('finds the methods of a path, whatever its parameters are', async () => {
  const app = Fastify();
  const allowedMethods = collectAllowedMethods(app);
  const answer = async () => 'answer';
  app.get('/things', answer);
  app.post('/things', answer);
  app.delete('/things/:id', answer);
  app.get('/things/newest', answer);
  await app.ready();
  const get = ['GET', 'HEAD'];
  expect(allowedMethods('/things')).toEqual([...get, 'POST']);
  expect(allowedMethods('/things/')).toEqual([...get, 'POST']);
  expect(allowedMethods('/things/1')).toEqual(['DELETE']);
  expect(allowedMethods('/things/newest')).toEqual(['DELETE', ...get]);
  expect(allowedMethods('/things/1/parts')).toEqual([]);
  expect(allowedMethods('/thing')).toEqual([]);
  expect(allowedMethods('/')).toEqual([]);
  await app.close();
});
